// SPDX-License-Identifier: Apache-2.0
//
// Checks the words of a command line against the declarations, before they are
// parsed: what is wrong is said in one line that names the word and what to
// write instead.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/frame/command.h"

namespace stepscope {

// `words`: what follows the name of the command.
Status CheckWords(const Command& command,
                  const std::vector<std::string>& words);

// Whether the words ask for help instead.
bool AsksForHelp(const Command& command, const std::vector<std::string>& words);

// Standard input can be read once: fails if "-" is given twice.
Status CheckStandardInputOnce(const std::vector<std::string>& inputs);

}  // namespace stepscope
