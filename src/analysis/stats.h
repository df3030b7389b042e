// SPDX-License-Identifier: Apache-2.0
//
// Total, maximum and minimum of a series of durations.
#pragma once

#include <algorithm>
#include <cstdint>

#include "analysis/interval.h"

namespace stepscope {

// `total / calls`, rounded half to even; 0 for no calls.
inline int64_t AverageNs(int64_t total_ns, uint64_t calls) {
  if (calls == 0) return 0;
  __extension__ using Wide = __int128;
  const Wide n = static_cast<Wide>(calls);
  const Wide floor = (total_ns - (total_ns < 0 ? n - 1 : 0)) / n;
  const Wide twice = 2 * (total_ns - floor * n);
  const bool up = twice > n || (twice == n && floor % 2 != 0);
  return static_cast<int64_t>(floor + (up ? 1 : 0));
}

// 0 where there is nothing to take a share of.
inline double Ratio(int64_t part, int64_t whole) {
  return whole == 0 ? 0.0
                    : static_cast<double>(part) / static_cast<double>(whole);
}

struct TimeStats {
  int64_t total_ns = 0;
  int64_t max_ns = 0;
  int64_t min_ns = INT64_MAX;

  void Add(int64_t ns) {
    total_ns = SaturatingAdd(total_ns, ns);
    max_ns = std::max(max_ns, ns);
    min_ns = std::min(min_ns, ns);
  }
  // The minimum of no calls is 0.
  int64_t min_or_zero() const { return min_ns == INT64_MAX ? 0 : min_ns; }
};

// Tells outermost events of a kind from those inside another of that kind.
// Feed it the events of one thread ordered by (start, -duration).
struct OpenSpan {
  int64_t until = INT64_MIN;

  // Whether [start, end) is inside an earlier one.
  bool Holds(int64_t start, int64_t end) const {
    return start < until && end <= until;
  }
  // True if it is not; then it is the last one.
  bool Enter(int64_t start, int64_t end) {
    if (Holds(start, end)) return false;
    until = std::max(until, end);
    return true;
  }
};

}  // namespace stepscope
