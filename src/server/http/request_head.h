// SPDX-License-Identifier: Apache-2.0
//
// Looks at the bytes of a connection before anybody parses them: whether the
// head of a request is complete, and whether it is one that this server
// answers at all. Strict, so that no two readers can understand one request
// differently: CRLF only, no folded lines, no body, no second Host.
#pragma once

#include <cstddef>
#include <string_view>

namespace stepscope::server {

inline constexpr size_t kMaxHeadBytes = 16 << 10;
inline constexpr size_t kMaxHeaders = 64;

struct HeadCheck {
  enum class State { kIncomplete, kComplete, kRefused };
  State state = State::kIncomplete;
  size_t size = 0;            // kComplete: bytes of the head
  int status = 0;             // kRefused: what to answer
  std::string_view why = {};  // the same, one line
};

// `bytes`: all that came so far. Linear in them.
HeadCheck CheckHead(std::string_view bytes);

}  // namespace stepscope::server
