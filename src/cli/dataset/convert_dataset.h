// SPDX-License-Identifier: Apache-2.0
//
// convert --to parquet: traces as a dataset that SQL engines read, file by
// file. What cannot be read is named, and the rest goes on.
#pragma once

#include "cli/frame/exit_code.h"
#include "cli/frame/verbs.h"

namespace stepscope {

inline constexpr const char* kParquet = "parquet";

ExitCode RunConvertDataset(const ConvertOptions& options);

// kExitMissing, with a line that says how to get it, where DuckDB is not
// installed.
ExitCode NeedDuckdb();

}  // namespace stepscope
