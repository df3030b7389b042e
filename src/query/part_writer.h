// SPDX-License-Identifier: Apache-2.0
//
// WriteParts: one trace as the Parquet files of a dataset, into a folder of
// its own that has the layout of a dataset with the job kPendingJob. Whoever
// calls moves them to where they belong.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "query/fingerprint.h"
#include "trace/trace.h"

namespace stepscope {

inline constexpr const char* kPendingJob = "pending";

struct SourceFile {
  std::string path;      // absolute
  std::string importer;  // that read it: "capture", "chrome", ...
  Fingerprint fingerprint;
  std::string state = {};  // StateOf(path), from before it was read
};

// On the calling thread alone, so that several files can be written at once.
// Memory: that of the trace, 25 bytes per event and a few row groups.
Status WriteParts(std::shared_ptr<const Trace> trace, const SourceFile& source,
                  const std::string& folder);

// "(FORMAT parquet, ...)", the same for all files of a table.
std::string ParquetOptions(std::string_view table);

}  // namespace stepscope
