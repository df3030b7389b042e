// SPDX-License-Identifier: Apache-2.0
//
// Fills the targets of a command from the words of the command line.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/frame/command.h"

namespace stepscope {

// REQUIRES: CheckWords(command, words), which has the better messages.
Status ParseWords(const Command& command,
                  const std::vector<std::string>& words);

}  // namespace stepscope
