// SPDX-License-Identifier: Apache-2.0
//
// One POST to somebody else's server, which may be slow, absent or hostile. It
// happens in a process of its own with little memory, which the kernel ends
// when its time is over: whatever the other side answers, or does not, costs
// the caller that time at most, and nothing else.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace stepscope::server {

struct PostTarget {
  bool tls = false;
  std::string host;  // without brackets
  int port = 0;
  std::string path;  // "/v1/traces", with the query if there is one
  std::vector<std::pair<std::string, std::string>> headers;
};

struct PostAnswer {
  int status = 0;        // 200
  std::string location;  // where a redirect leads to
  std::string body;      // its first 16 KiB
};

// Fails where there is no answer; the message says why, without the address.
// A redirect is an answer: it is not followed. REQUIRES: timeout_ms > 0.
Result<PostAnswer> Post(const PostTarget& target,
                        const std::string& content_type,
                        const std::string& body, int timeout_ms);

}  // namespace stepscope::server
