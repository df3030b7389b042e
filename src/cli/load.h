// SPDX-License-Identifier: Apache-2.0
//
// Reads the traces that a verb is given.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analysis/ranks/align_set.h"
#include "base/result.h"
#include "cli/frame/exit_code.h"
#include "importers/importer.h"
#include "report/info/info.h"
#include "trace/trace.h"

namespace stepscope {

// One trace of a file, of a folder that holds one job, or of several files as
// processes of one trace, on one clock (analysis/ranks/align_set.h). Null: what
// was wrong has been said, and `code` is what to return.
std::shared_ptr<const Trace> LoadTrace(const std::vector<std::string>& inputs,
                                       ExitCode& code,
                                       const ImportOptions& options = {},
                                       Alignment how = Alignment::kByEvents);

// Puts the newest run in place of a folder of runs, or of nothing
// (cli/latest_run.h). False: what was wrong has been said. LoadTrace does it
// for who needs the name no further.
bool NameInput(std::string& input, ExitCode& code);

// For `info`.
bool LoadForInfo(const std::string& input, TraceInfo& loaded, ExitCode& code);

// What is wrong with an input, and the code to return.
ExitCode ComplainOfInput(const Error& error);

}  // namespace stepscope
