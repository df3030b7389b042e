// SPDX-License-Identifier: Apache-2.0
//
// Whether the name of a range matches a pattern of the command line. Pure.
#pragma once

#include <string_view>

namespace stepscope::inject {

// "*" stands for any characters, also none; all others for themselves.
bool Matches(std::string_view pattern, std::string_view name);

}  // namespace stepscope::inject
