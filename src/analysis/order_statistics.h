// SPDX-License-Identifier: Apache-2.0
//
// Medians and quartiles of times: values that occurred, so whole nanoseconds.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/interval.h"

namespace stepscope {

// The value below which `numerator` of `denominator` lie; the lower of two in
// the middle. 0 of nothing.
inline int64_t Quantile(std::span<const int64_t> values, size_t numerator,
                        size_t denominator) {
  if (values.empty()) return 0;
  std::vector<int64_t> sorted(values.begin(), values.end());
  const auto at = sorted.begin() + static_cast<ptrdiff_t>(
                                       (sorted.size() - 1) * numerator /
                                       denominator);
  std::nth_element(sorted.begin(), at, sorted.end());
  return *at;
}

inline int64_t Median(std::span<const int64_t> values) {
  return Quantile(values, 1, 2);
}

// The median of the distances from `centre`.
inline int64_t MedianDeviation(std::span<const int64_t> values,
                               int64_t centre) {
  std::vector<int64_t> off;
  off.reserve(values.size());
  for (const int64_t value : values) {
    const int64_t distance = SaturatingSubtract(value, centre);
    off.push_back(distance < 0 ? SaturatingSubtract(0, distance) : distance);
  }
  return Median(off);
}

// What a median deviation is multiplied by to estimate a standard deviation,
// where values are spread as errors usually are.
inline constexpr double kDeviationScale = 1.4826;

}  // namespace stepscope
