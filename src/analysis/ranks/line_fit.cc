// SPDX-License-Identifier: Apache-2.0
#include "analysis/ranks/line_fit.h"

#include <algorithm>
#include <cmath>

namespace stepscope {
namespace {

// The deviation of a normal distribution is that multiple of its median one.
constexpr double kOfMedian = 1.4826;
// Tukey's constant: points further away than so many deviations do not count.
constexpr double kTukey = 4.685;
constexpr int kFitRounds = 12;
// Below the resolution of any clock that is read here, ns.
constexpr double kLeastSpread = 1;

double SpreadAround(std::span<const FitPoint> points, const FittedLine& line) {
  std::vector<double> off;
  off.reserve(points.size());
  for (const FitPoint& point : points)
    off.push_back(std::abs(point.y - line(point.x)));
  return std::max(kLeastSpread, kOfMedian * MedianOf(off));
}

// One weighted least-squares step, with weights by distance from `line`.
void Refine(std::span<const FitPoint> points, double slope_prior,
            FittedLine& line) {
  const double reach = kTukey * line.spread;
  const auto weight = [&](const FitPoint& point) {
    const double u = (point.y - line(point.x)) / reach;
    const double left = 1 - u * u;
    return left > 0 ? left * left : 0;
  };
  double sum = 0;
  double sum_x = 0;
  double sum_y = 0;
  for (const FitPoint& point : points) {
    const double w = weight(point);
    sum += w;
    sum_x += w * point.x;
    sum_y += w * point.y;
  }
  if (sum <= 0) return;
  const double mean_x = sum_x / sum;
  const double mean_y = sum_y / sum;
  double xx = 0;
  double xy = 0;
  uint64_t counted = 0;
  for (const FitPoint& point : points) {
    const double w = weight(point);
    xx += w * (point.x - mean_x) * (point.x - mean_x);
    xy += w * (point.x - mean_x) * (point.y - mean_y);
    counted += w > 0;
  }
  const double variance = line.spread * line.spread;
  const double ridge = variance / (slope_prior * slope_prior);
  FittedLine next = line;
  next.center = mean_x;
  next.at = mean_y;
  next.slope = xy / (xx + ridge);
  next.at_error = line.spread / std::sqrt(sum);
  next.slope_error = std::sqrt(variance / (xx + ridge));
  next.points = counted;
  line = next;
}

// From medians alone, so that outliers cannot choose where it begins: the
// middles of both halves give the slope, if it is one that a clock can have.
FittedLine Begin(std::span<const FitPoint> points, double slope_prior) {
  std::vector<FitPoint> sorted(points.begin(), points.end());
  std::sort(sorted.begin(), sorted.end(),
            [](const FitPoint& a, const FitPoint& b) { return a.x < b.x; });
  const auto middle = [&](size_t first, size_t last, bool y) {
    std::vector<double> values;
    for (size_t i = first; i < last; ++i) {
      values.push_back(y ? sorted[i].y : sorted[i].x);
    }
    return MedianOf(values);
  };
  FittedLine line;
  const size_t half = sorted.size() / 2;
  line.center = middle(0, sorted.size(), false);
  line.at = middle(0, sorted.size(), true);
  if (half < 4) return line;
  const double run =
      middle(half, sorted.size(), false) - middle(0, half, false);
  const double rise = middle(half, sorted.size(), true) - middle(0, half, true);
  constexpr double kFarFromUsual = 5;
  if (run > 0 && std::abs(rise / run) < kFarFromUsual * slope_prior) {
    FittedLine tilted = line;
    tilted.slope = rise / run;
    if (SpreadAround(points, tilted) < SpreadAround(points, line))
      line = tilted;
  }
  return line;
}

}  // namespace

double MedianOf(std::vector<double>& values) {
  if (values.empty()) return 0;
  const size_t half = values.size() / 2;
  std::nth_element(values.begin(),
                   values.begin() + static_cast<ptrdiff_t>(half), values.end());
  const double upper = values[half];
  if (values.size() % 2 == 1) return upper;
  const double lower = *std::max_element(
      values.begin(), values.begin() + static_cast<ptrdiff_t>(half));
  return (lower + upper) / 2;
}

FittedLine FitLine(std::span<const FitPoint> points, double slope_prior) {
  FittedLine line = Begin(points, slope_prior);
  for (int i = 0; i < kFitRounds; ++i) {
    line.spread = SpreadAround(points, line);
    const FittedLine before = line;
    Refine(points, slope_prior, line);
    if (std::abs(line.at - before(line.center)) < 0.5 &&
        std::abs(line.slope - before.slope) < 1e-10)
      break;
  }
  line.spread = SpreadAround(points, line);
  return line;
}

}  // namespace stepscope
