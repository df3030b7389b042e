// SPDX-License-Identifier: Apache-2.0
//
// Kernel table: kernels by whole name, plain sums over all streams; the ratio
// is of all kernels together.
#pragma once

#include <optional>
#include <vector>

#include "analysis/event_tree.h"
#include "analysis/kernel_use.h"
#include "analysis/name_class.h"
#include "analysis/percentiles.h"
#include "analysis/tables/rows.h"

namespace stepscope {

struct MeasuredWork;

struct KernelRow : NamedRow {
  StringId id;
  Row longest = kNoRow;
  Spread spread;             // of the calls; empty unless asked for
  bool matrix = false;       // a matrix product or a convolution, by name
  bool tensor_core = false;  // by name: an estimate
  // Means over the recorded time of the calls that state them: share of the
  // warps that a multiprocessor can hold, and of the multiprocessors that the
  // grid does not reach.
  std::optional<double> occupancy;
  std::optional<double> unfilled;
  KernelUse use;                           // what both are from
  const MeasuredWork* measured = nullptr;  // of Summary::measured
};

struct KernelOptions {
  SortKey sort = SortKey::kGpuTotal;  // CPU keys sort by total
  bool spread = false;                // fill `spread`
  bool sketch = false;                // of it too
};

// `cpu` of a row stays empty.
std::vector<KernelRow> ComputeKernels(const EventTree& tree, NameClasses& names,
                                      const KernelOptions& options);

}  // namespace stepscope
