// SPDX-License-Identifier: Apache-2.0
//
// Writes a trace to a file, as `stepscope convert` does.
#pragma once

#include <string>

#include "base/result.h"
#include "read/request.h"
#include "trace/trace.h"

namespace stepscope {

// Options: path, and format where the suffix does not say it. Returns a line
// for each thing that the file cannot hold.
Result<std::string> ExportTrace(const Trace& trace, ReadRequest& request);

}  // namespace stepscope
