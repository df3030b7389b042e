// SPDX-License-Identifier: Apache-2.0
//
// The difference of two means and how sure one may be of it (Welch's t).
#pragma once

#include <cstdint>

namespace stepscope {

// A series of measurements, by its sums.
struct Sample {
  uint64_t count = 0;
  double sum = 0;
  double sum_of_squares = 0;

  void Add(double value) {
    ++count;
    sum += value;
    sum_of_squares += value * value;
  }
  double mean() const {
    return count == 0 ? 0 : sum / static_cast<double>(count);
  }
  double variance() const;  // of the population that it was drawn from
};

struct MeanDifference {
  double difference = 0;  // mean of b less that of a
  // Half of the 95 % confidence interval: what noise alone can do. Needs two
  // measurements on either side.
  bool has_interval = false;
  double half_width = 0;

  bool BeyondNoise() const {
    const double size = difference < 0 ? -difference : difference;
    return has_interval && size > half_width;
  }
};

MeanDifference Compare(const Sample& a, const Sample& b);

// t of Student's distribution that 95 % lie within, both sides; `freedom` is
// at least 1 and need not be whole.
double StudentT95(double freedom);

}  // namespace stepscope
