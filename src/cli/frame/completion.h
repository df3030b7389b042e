// SPDX-License-Identifier: Apache-2.0
//
// completion: scripts that complete commands, options and values, made from
// the declarations of the commands.
#pragma once

#include <string>
#include <vector>

#include "cli/frame/command.h"
#include "cli/frame/exit_code.h"

namespace stepscope {

struct CompletionArguments {
  std::string shell;
};
ExitCode RunCompletion(const CompletionArguments& arguments);

std::string BashCompletion(const std::vector<Command>& commands);
std::string ZshCompletion(const std::vector<Command>& commands);
std::string FishCompletion(const std::vector<Command>& commands);

}  // namespace stepscope
