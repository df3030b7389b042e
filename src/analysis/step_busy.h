// SPDX-License-Identifier: Apache-2.0
//
// Busy time, and what of it lies in the steps: of the first nothing is left
// out, of the second no share is above 1.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "analysis/interval.h"

namespace stepscope {

// A union that was measured, and its part in the steps.
struct BusyPair {
  int64_t all_ns = 0;
  int64_t in_steps_ns = 0;

  static BusyPair Of(std::span<const Interval> set,
                     std::span<const Interval> steps) {
    return {TotalLength(set), OverlapLength(set, steps)};
  }
};

// Of ranges that come sorted by begin. Totals never exceed 64 bits.
class StepBusy {
 public:
  StepBusy() = default;
  // `steps` as StepTable::all_steps(), which must outlive this.
  explicit StepBusy(std::span<const Interval> steps) : steps_(steps) {}

  void Add(int64_t begin, int64_t end) {
    const int64_t from = std::max(begin, until_);
    if (end <= from) return;
    all_ += Length(from, end);
    until_ = end;
    while (!steps_.empty() && steps_.front().end <= from)
      steps_ = steps_.subspan(1);
    for (const Interval& step : steps_) {
      if (step.begin >= end) break;
      in_steps_ += Length(std::max(from, step.begin), std::min(end, step.end));
    }
  }
  // What a slice collected, which is empty afterwards. `ordered` is memory to
  // work in.
  void Add(IntervalCollector& slice, IntervalSet& ordered) {
    slice.Finish(ordered);
    for (const Interval& part : ordered) Add(part.begin, part.end);
  }
  BusyPair total() const { return {Clamped(all_), Clamped(in_steps_)}; }

 private:
  static uint64_t Length(int64_t begin, int64_t end) {
    return static_cast<uint64_t>(end) - static_cast<uint64_t>(begin);
  }
  static int64_t Clamped(uint64_t ns) {
    return static_cast<int64_t>(std::min<uint64_t>(ns, INT64_MAX));
  }

  std::span<const Interval> steps_;  // those that may still be met
  int64_t until_ = INT64_MIN;
  uint64_t all_ = 0;
  uint64_t in_steps_ = 0;
};

}  // namespace stepscope
