// SPDX-License-Identifier: Apache-2.0
//
// What is wrong with the file that a command is told to write.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/frame/exit_code.h"

namespace stepscope {

// Says at once, before any work, what would stop the file from being written:
// it is a folder, or its folder is missing or is a file. kExitOk: nothing.
ExitCode CheckOutput(const std::string& path);

// Says why the output could not be written, and returns the exit code.
ExitCode ComplainOfOutput(const Error& error);

}  // namespace stepscope
