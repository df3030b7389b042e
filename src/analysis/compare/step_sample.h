// SPDX-License-Identifier: Apache-2.0
//
// What an item took in each step, as an ordered list; most items of a long
// trace are in few of its steps, so steps without it take no room.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "analysis/order_statistics.h"

namespace stepscope {

struct StepSample {
  uint64_t count = 0;           // steps
  std::vector<int64_t> values;  // ascending; the other steps count as 0

  // REQUIRES: `count` is at least the number of values.
  static StepSample Of(std::vector<int64_t> values, uint64_t count) {
    std::sort(values.begin(), values.end());
    return {count, std::move(values)};
  }

  uint64_t zeros() const { return count - values.size(); }
  double mean() const {
    double sum = 0;
    for (const int64_t value : values) sum += static_cast<double>(value);
    return count == 0 ? 0 : sum / static_cast<double>(count);
  }
  // The value of a rank, from 0.
  int64_t at(uint64_t rank) const {
    const auto negative = static_cast<uint64_t>(
        std::lower_bound(values.begin(), values.end(), 0) - values.begin());
    if (rank < negative) return values[rank];
    return rank < negative + zeros() ? 0 : values[rank - zeros()];
  }
  // As Median() of all values (order_statistics.h).
  int64_t median() const {
    if (count == 0) return 0;
    const int64_t middle[] = {at((count - 1) / 2), at(count / 2)};
    return Median(middle);
  }
  // The distance of the quartiles; of few steps, of the ranks outside them.
  double quartile_range() const {
    if (count == 0) return 0;
    return static_cast<double>(at((3 * (count - 1) + 3) / 4)) -
           static_cast<double>(at((count - 1) / 4));
  }
};

}  // namespace stepscope
