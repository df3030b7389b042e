// SPDX-License-Identifier: Apache-2.0
//
// The texts of --help.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/frame/command.h"

namespace stepscope {

struct HelpStyle {
  size_t width = 80;
  bool colour = false;
};

// For standard output: as wide as the terminal, but not too wide to read.
HelpStyle StyleForOutput(int fd);

// `stepscope`: how to begin.
std::string FirstHelp(const std::vector<Command>& commands,
                      const HelpStyle& style);
// `stepscope --help`: all commands.
std::string ProgramHelp(const std::vector<Command>& commands,
                        const HelpStyle& style);
// `stepscope COMMAND --help`
std::string CommandHelp(const Command& command, const HelpStyle& style);

// `text` in lines of at most `width` columns, broken at blanks. Every line but
// the first begins with `indent` blanks; the first already stands at `indent`.
std::string WrapText(const std::string& text, size_t indent, size_t width);

}  // namespace stepscope
