// SPDX-License-Identifier: Apache-2.0
//
// FitLine: y = at + slope * (x - center) through points of which some are
// wrong. Outliers lose their weight (Tukey's biweight), and the slope is drawn
// towards zero unless the points say otherwise: clocks differ by a hundred
// millionths, so a few noisy points close together must not tilt the line.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace stepscope {

struct FitPoint {
  double x = 0;
  double y = 0;
};

struct FittedLine {
  double center = 0;
  double at = 0;  // y at the centre
  double slope = 0;
  double spread = 0;       // standard deviation of one point, outliers aside
  double at_error = 0;     // standard error of `at`
  double slope_error = 0;  // of the slope
  uint64_t points = 0;     // that count

  double operator()(double x) const { return at + slope * (x - center); }
};

// `slope_prior`: how far from 0 a slope is usually. REQUIRES: points.
FittedLine FitLine(std::span<const FitPoint> points, double slope_prior);

// The middle value; of an even number, the mean of the two. Reorders `values`.
// 0 if there are none.
double MedianOf(std::vector<double>& values);

}  // namespace stepscope
