// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"

namespace stepscope::server {

// A socket that listens, and where.
struct ListeningSocket {
  int fd = -1;
  int port = 0;
};

// On `host`, at `port` or, where that is taken, the next of a hundred that is
// free; 0: any.
Result<ListeningSocket> ListenOn(const std::string& host, int port);

}  // namespace stepscope::server
