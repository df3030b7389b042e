// SPDX-License-Identifier: Apache-2.0
//
// Reads a capture that is an open file. Apart from the importer, so that the
// Profiler, which reads its own windows, needs no decompressors.
#pragma once

#include <memory>
#include <string>

#include "base/file.h"
#include "base/result.h"
#include "importers/importer.h"
#include "trace/trace.h"

namespace stepscope::capture {

// Adds what `file` holds. `path`: where it lies, since the live file of a
// process that was killed may lie beside it; empty if the capture has no place,
// as in a pipe.
// Adds nothing to the builder where it fails with ErrorCode::kCorrupt.
Status ReadCapture(File file, std::string path, const ImportOptions& options,
                   TraceBuilder& builder);

}  // namespace stepscope::capture

namespace stepscope {

Result<std::shared_ptr<const Trace>> ImportCapture(const std::string& path);

}  // namespace stepscope
