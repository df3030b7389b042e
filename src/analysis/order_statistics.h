// SPDX-License-Identifier: Apache-2.0
//
// Medians and quartiles of times, in whole nanoseconds.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/interval.h"

namespace stepscope {

// The value below which `numerator` of `denominator` lie; between two values
// in proportion. 0 of nothing.
inline int64_t Quantile(std::span<const int64_t> values, size_t numerator,
                        size_t denominator) {
  if (values.empty()) return 0;
  std::vector<int64_t> sorted(values.begin(), values.end());
  const size_t place = (sorted.size() - 1) * numerator;
  const auto at = sorted.begin() + static_cast<ptrdiff_t>(place / denominator);
  std::nth_element(sorted.begin(), at, sorted.end());
  const size_t rest = place % denominator;
  if (rest == 0) return *at;
  const int64_t next = *std::min_element(at + 1, sorted.end());
  const double step = static_cast<double>(SaturatingSubtract(next, *at)) *
                      static_cast<double>(rest) /
                      static_cast<double>(denominator);
  return SaturatingAdd(
      *at, static_cast<int64_t>(std::nearbyint(std::min(step, 9.2e18))));
}

inline int64_t Median(std::span<const int64_t> values) {
  return Quantile(values, 1, 2);
}

// The median of the distances from `centre`.
inline int64_t MedianDeviation(std::span<const int64_t> values,
                               int64_t centre) {
  std::vector<int64_t> off;
  off.reserve(values.size());
  for (const int64_t value : values)
    off.push_back(Magnitude(SaturatingSubtract(value, centre)));
  return Median(off);
}

// What a median deviation is multiplied by to estimate a standard deviation,
// where values are spread as errors usually are.
inline constexpr double kDeviationScale = 1.4826;

}  // namespace stepscope
