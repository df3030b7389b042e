// SPDX-License-Identifier: Apache-2.0
//
// Kernel table: kernels by whole name, plain sums over all streams; the ratio
// is of all kernels together.
#pragma once

#include <vector>

#include "analysis/event_tree.h"
#include "analysis/tables/rows.h"

namespace stepscope {

// `cpu` of a row stays empty. CPU keys sort by total.
std::vector<NamedRow> ComputeKernels(const EventTree& tree, SortKey sort);

}  // namespace stepscope
