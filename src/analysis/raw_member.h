// SPDX-License-Identifier: Apache-2.0
//
// One member of an event's raw arguments (Trace::raw_args), without parsing
// the others.
#pragma once

#include <string_view>

namespace stepscope {

// The text of the value of `key`: `[[2, 3]]`, `0.5`, `"text"` with its quotes.
// Empty if there is no such member. `key` holds nothing that JSON escapes.
std::string_view RawMember(std::string_view members, std::string_view key);

}  // namespace stepscope
