// SPDX-License-Identifier: Apache-2.0
//
// What an output can show: whether somebody looks at it, how wide it is, and
// whether colours are welcome. Thread-safe as far as nobody changes the
// environment meanwhile.
#pragma once

#include <cstddef>

namespace stepscope {

bool IsTerminal(int fd);

// Columns of a line: COLUMNS if it is set to a number, else what the terminal
// at `fd` says, else 80. Never below 20.
size_t TerminalWidth(int fd);

// `fd` is a terminal that knows colours, and NO_COLOR (no-color.org) is unset
// or empty.
bool ColourAllowed(int fd);

}  // namespace stepscope
