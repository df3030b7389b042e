// SPDX-License-Identifier: Apache-2.0
//
// How tables look on standard output: whole and as ever in a file or a pipe;
// short, narrow and readable on a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "cli/frame/verbs.h"
#include "report/text_style.h"

namespace stepscope {

// `top`: what --top said, or kTopNotGiven. `text`: people read the format; data
// is never cut unasked.
TextStyle StyleOfTables(int top, bool text);
// Columns of a line on standard output; 0: any.
size_t WidthOfTables();
// What --unit means where it is not given: "auto" on a terminal, else "ms".
std::string UsualUnit();

// WriteOutput, with bold titles on a terminal that knows colours.
ExitCode WriteTables(std::string_view text);
// `text` with its titles ("----Kernel Summary----") bold.
std::string WithBoldTitles(std::string_view text);

}  // namespace stepscope
