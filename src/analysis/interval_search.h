// SPDX-License-Identifier: Apache-2.0
//
// Questions to an IntervalSet that are asked once for each of many nodes.
#pragma once

#include <algorithm>
#include <cstdint>

#include "analysis/interval.h"

namespace stepscope {

inline bool Contains(const IntervalSet& set, int64_t time_ns) {
  const auto after = std::upper_bound(
      set.begin(), set.end(), time_ns,
      [](int64_t time, const Interval& part) { return time < part.begin; });
  return after != set.begin() && time_ns < after[-1].end;
}

// How much of a range the set covers.
inline int64_t CoveredLength(const IntervalSet& set, const Interval& range) {
  auto part = std::partition_point(
      set.begin(), set.end(),
      [&](const Interval& other) { return other.end <= range.begin; });
  int64_t sum = 0;
  for (; part != set.end() && part->begin < range.end; ++part)
    sum += std::min(part->end, range.end) - std::max(part->begin, range.begin);
  return sum;
}

}  // namespace stepscope
