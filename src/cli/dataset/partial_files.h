// SPDX-License-Identifier: Apache-2.0
//
// Partials as files: beside the trace that each is of, and whether that has
// changed since.
#pragma once

#include <string>
#include <vector>

#include "analysis/partial/codec.h"
#include "base/result.h"

namespace stepscope {

// Of the file as it is now; it is read once to its end.
Result<TraceStamp> StampOf(const std::string& trace_path);

// Whether the trace at `path` is another than the one that was stamped. One
// that is not there is not: partials may be carried away alone. Files that
// were only copied are read again to tell.
bool HasChanged(const std::string& path, const TraceStamp& stamp);

// "trace.json.gz.sspart"
std::string PartialPathOf(const std::string& trace_path);

}  // namespace stepscope
