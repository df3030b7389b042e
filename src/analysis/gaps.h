// SPDX-License-Identifier: Apache-2.0
//
// What of a range a set of intervals covers, and what it leaves. Logarithmic
// in the set, linear in the answer.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "analysis/interval.h"

namespace stepscope {

// The parts of `set` that overlap a range.
inline std::span<const Interval> PartsIn(const IntervalSet& set,
                                         Interval range) {
  const auto first = std::partition_point(
      set.begin(), set.end(),
      [&](const Interval& part) { return part.end <= range.begin; });
  const auto last = std::partition_point(
      first, set.end(),
      [&](const Interval& part) { return part.begin < range.end; });
  return {first, last};
}

inline bool Covers(const IntervalSet& set, int64_t time_ns) {
  return !PartsIn(set, {time_ns, SaturatingAdd(time_ns, 1)}).empty();
}

// Calls `visit` for what of a range is not in the set.
template <typename Visit>
void ForEachGap(const IntervalSet& set, Interval range, Visit visit) {
  for (const Interval& part : PartsIn(set, range)) {
    if (range.begin < part.begin) visit(Interval{range.begin, part.begin});
    range.begin = part.end;
  }
  if (range.begin < range.end) visit(range);
}

}  // namespace stepscope
