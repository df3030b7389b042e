// SPDX-License-Identifier: Apache-2.0
//
// Words of a command line that a user may copy into a shell.
#pragma once

#include <string>
#include <string_view>

namespace stepscope {

// `text` as a shell reads it back: as it is, or in quotes where it must be.
std::string ShellWord(std::string_view text);

}  // namespace stepscope
