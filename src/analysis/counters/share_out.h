// SPDX-License-Identifier: Apache-2.0
//
// Shares what counters measured out over the work of a device. What a cell has
// belongs to the work that ran in it, by time; so concurrent work shares it,
// and so do kernels that are shorter than a cell. Where nothing ran, it belongs
// to nobody: the parts of all work and what is nobody's are what was measured.
//
// A group's part is exact in cells that no other work has a part of. Any other
// cell may have been the group's as a whole or not at all, so what is known of
// it is no better than the larger of what the group got and what it did not
// get. These bounds are added up and not taken for independent: work that
// repeats in one order shares its cells in the same way each time.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/counters/counter_cells.h"
#include "analysis/interval.h"

namespace stepscope {

// Of a kernel, copy or set that took time.
struct WorkSpan {
  Interval time;
  uint32_t work = 0;  // who it is, for WorkGroups
  bool kernel = false;
};

// Which sums a piece of work counts for.
class WorkGroups {
 public:
  static constexpr uint32_t kNone = 0xffffffffu;
  static constexpr size_t kMost = 7;

  // The next piece of work. REQUIRES: at most kMost groups, none twice but
  // kNone.
  void AddWork(std::span<const uint32_t> groups) {
    std::ranges::copy(groups, work_.emplace_back(Nothing()).begin());
  }
  size_t size() const { return work_.size(); }

  template <typename Visit>
  void ForEach(uint32_t work, Visit visit) const {
    for (const uint32_t group : work_[work])
      if (group != kNone) visit(group);
  }

 private:
  using Groups = std::array<uint32_t, kMost>;
  static Groups Nothing() {
    Groups groups;
    groups.fill(kNone);
    return groups;
  }

  std::vector<Groups> work_;
};

struct MeasuredPart {
  double amount = 0;
  double error = 0;  // at most
  // Its part of the time in which the device worked. The amount by this time is
  // how the device was used meanwhile, whatever ran beside it.
  double busy_ns = 0;
  int64_t measured_ns = 0;  // of its work, plain sum
};
using MeasuredParts = std::array<MeasuredPart, kMeasures>;

// Adds to the parts of groups. `spans`: all work of the device, by begin.
// Returns what is nobody's. Takes as long as there are cells, and cells in
// pieces of work.
std::array<double, kMeasures> ShareOut(std::span<const CounterCell> cells,
                                       std::span<const WorkSpan> spans,
                                       const WorkGroups& groups,
                                       std::vector<MeasuredParts>& sums);

}  // namespace stepscope
