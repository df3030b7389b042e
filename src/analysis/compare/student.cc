// SPDX-License-Identifier: Apache-2.0
#include "analysis/compare/student.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace stepscope {
namespace {

struct Quantile {
  double freedom;
  double t;
};

// Between two of them, t is close to linear in 1 / freedom.
constexpr Quantile kQuantiles[] = {
    {1, 12.7062}, {2, 4.30265}, {3, 3.18245}, {4, 2.77645},  {5, 2.57058},
    {6, 2.44691}, {7, 2.36462}, {8, 2.30600}, {9, 2.26216},  {10, 2.22814},
    {12, 2.17881}, {15, 2.13145}, {20, 2.08596}, {30, 2.04227},
    {60, 2.00030}, {120, 1.97993}, {1e9, 1.95996}};

}  // namespace

double Sample::variance() const {
  if (count < 2) return 0;
  const auto n = static_cast<double>(count);
  return std::max(0.0, (sum_of_squares - sum * sum / n) / (n - 1));
}

double StudentT95(double freedom) {
  if (freedom <= kQuantiles[0].freedom) return kQuantiles[0].t;
  const auto* const above = std::find_if(
      std::begin(kQuantiles), std::end(kQuantiles),
      [&](const Quantile& q) { return q.freedom >= freedom; });
  if (above == std::end(kQuantiles)) return std::rbegin(kQuantiles)->t;
  const Quantile& low = above[-1];
  const double share = (1 / low.freedom - 1 / freedom) /
                       (1 / low.freedom - 1 / above->freedom);
  return low.t + share * (above->t - low.t);
}

MeanDifference Compare(const Sample& a, const Sample& b) {
  MeanDifference result;
  result.difference = b.mean() - a.mean();
  if (a.count < 2 || b.count < 2) return result;
  result.has_interval = true;
  const auto na = static_cast<double>(a.count);
  const auto nb = static_cast<double>(b.count);
  const double va = a.variance() / na;
  const double vb = b.variance() / nb;
  if (va + vb <= 0) return result;
  const double freedom = (va + vb) * (va + vb) /
                         (va * va / (na - 1) + vb * vb / (nb - 1));
  result.half_width = StudentT95(freedom) * std::sqrt(va + vb);
  return result;
}

}  // namespace stepscope
