// SPDX-License-Identifier: Apache-2.0
//
// Standard output and error of the program.
#pragma once

#include <string_view>

#include "base/result.h"
#include "cli/frame/exit_code.h"

namespace stepscope {

// All of `text` to standard output. A full disk or a closed pipe is kExitIo.
ExitCode WriteOutput(std::string_view text);

// One line on standard error: "stepscope: <message>".
void PrintError(std::string_view message);
// The same, and what to do about it; returns `code`.
ExitCode Complain(ExitCode code, std::string_view message,
                  std::string_view remedy);

}  // namespace stepscope
