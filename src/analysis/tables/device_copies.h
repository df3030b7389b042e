// SPDX-License-Identifier: Apache-2.0
//
// Copies and sets of the device by name: the Memory Manipulation table of a
// trace whose host events do not name them, as those of torch and of plain CUDA
// programs. CPU is the call that launched them. Largest GPU time first.
#pragma once

#include <vector>

#include "analysis/steps.h"
#include "analysis/tables/rows.h"

namespace stepscope {

// By SortKey::kVisit, for who adds up several traces: the least CPU time of
// copies without a call is INT64_MAX.
std::vector<NamedRow> ComputeDeviceCopies(const EventTree& tree,
                                          const StepTable& steps,
                                          SortKey sort = SortKey::kGpuTotal);

}  // namespace stepscope
