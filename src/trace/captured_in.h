// SPDX-License-Identifier: Apache-2.0
//
// The argument of work that a graph replays: the host events that were open
// when a call was captured and became that work. They lie in another step, or
// were left out since, so the argument names them:
//
//   [["aten::mm", "Operator", 17], ["aten::linear", "Operator", 16], ...]
//
// innermost first, each with its type and a number that is the same wherever
// the same event is meant.
#pragma once

#include <string_view>

namespace stepscope {

inline constexpr std::string_view kCapturedIn = "captured in";

}  // namespace stepscope
