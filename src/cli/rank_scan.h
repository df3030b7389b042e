// SPDX-License-Identifier: Apache-2.0
//
// The tables that compare ranks, of a folder of any size: files are read a few
// at a time and let go, since these tables need little of each.
#pragma once

#include <memory>
#include <string>

#include "analysis/ranks/align_set.h"
#include "analysis/summary.h"
#include "cli/exit_code.h"

namespace stepscope {

// Whether `views` of `input` can be made so: a folder, and no other table.
bool CanScanRanks(const std::string& input, uint32_t views);

// A summary with these tables alone, and the trace that it refers to, which
// has no events. Null: what was wrong has been said, and `code` is what to
// return.
struct ScannedRanks {
  std::shared_ptr<const Trace> trace;
  Summary summary;
};
std::unique_ptr<ScannedRanks> ScanRanks(const std::string& input,
                                        Alignment how, ExitCode& code);

}  // namespace stepscope
