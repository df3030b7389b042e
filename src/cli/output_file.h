// SPDX-License-Identifier: Apache-2.0
//
// The file that a command is told to write: "-" is standard output, and the
// name says the compression.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "cli/exit_code.h"
#include "exporters/sink.h"

namespace stepscope {

// Says at once, before any work, what would stop the file from being written:
// it is a folder, or its folder is missing or is a file. kExitOk: nothing.
ExitCode CheckOutput(const std::string& path);

// Compressed if the name ends in ".gz" or ".zst". The file appears whole or not
// at all.
Result<std::unique_ptr<Sink>> OpenOutput(const std::string& path);

// All of `text` into such a file.
Status WriteOutputFile(const std::string& path, const std::string& text);

// Says why the output could not be written, and returns the exit code.
ExitCode ComplainOfOutput(const Error& error);

}  // namespace stepscope
