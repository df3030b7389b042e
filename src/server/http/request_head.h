// SPDX-License-Identifier: Apache-2.0
//
// Looks at the bytes of a connection before anybody parses them: whether the
// head of a request is complete, and whether it is one that this server
// answers at all. Strict, so that no two readers can understand one request
// differently: CRLF only, no folded lines, no second Host, and a body only of
// a length that is said in digits.
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
  size_t body = 0;            // kComplete: bytes that follow it
  int status = 0;             // kRefused: what to answer
  std::string_view why = {};  // the same, one line
};

// `bytes`: all that came so far. Linear in them.
HeadCheck CheckHead(std::string_view bytes);

// The value of a header of a head that was checked; empty: it has none.
std::string_view HeaderIn(std::string_view head, std::string_view name);

}  // namespace stepscope::server
