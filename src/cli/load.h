// SPDX-License-Identifier: Apache-2.0
//
// Reads the traces that a verb is given.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/exit_code.h"
#include "importers/importer.h"
#include "trace/trace.h"

namespace stepscope {

// One trace of a file, of a folder, or of several files as processes of one
// trace. Null: what was wrong has been said, and `code` is what to return.
std::shared_ptr<const Trace> LoadTrace(const std::vector<std::string>& inputs,
                                       ExitCode& code,
                                       const ImportOptions& options = {});
// What is wrong with an input, and the code to return.
ExitCode ComplainOfInput(const Error& error);

}  // namespace stepscope
