// SPDX-License-Identifier: Apache-2.0
//
// What a user names, in a command or in a call, as one Trace, with messages
// that say what to do. Who shows them decides how: the CLI prints, Python
// raises.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "importers/import_many.h"

namespace stepscope {

// A file, a folder, or several files, as jobs. Files that are named are one
// job because the user says so.
Result<TraceFolder> ImportInputs(const std::vector<std::string>& inputs,
                                 const ImportOptions& options);

// All jobs of `folder` together. Fails where nothing in `input` could be read.
Result<std::shared_ptr<const Trace>> JoinInputs(TraceFolder folder,
                                                const std::string& input);
// Fails with kCorrupt where a trace is damaged and not one record is left.
Status CheckContent(const Trace& trace, const std::string& input);

// What to do about an input that failed so, as the end of a sentence; "": there
// is nothing to add.
std::string InputRemedy(const Error& error);

}  // namespace stepscope
