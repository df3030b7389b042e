// SPDX-License-Identifier: Apache-2.0
//
// The rank test of Mann and Whitney: whether the values of one sample tend to
// be above those of another, without assuming how they are spread.
//
// H. B. Mann, D. R. Whitney: On a test of whether one of two random variables
// is stochastically larger than the other, 1947.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/compare/step_sample.h"

namespace stepscope {

struct RankResult {
  double u = 0;  // pairs in which b is above a; a tie counts as a half
  // How often chance alone makes b lie above a (below it, or either) at least
  // this far. 1 where there is nothing to tell apart.
  double p_above = 1;
  double p_below = 1;
  double p = 1;  // two-sided
  bool exact = false;
};

// Remembers the distribution that it used last. Not thread-safe.
class RankTest {
 public:
  // Exact for small samples: without ties up to n * m = 400, with ties up to
  // n + m = 16; else by the normal distribution, corrected for ties and
  // continuity. `inflation`: how many times larger the variance is than that
  // of independent values; above 1 the normal distribution is used.
  RankResult Compare(const StepSample& a, const StepSample& b,
                     double inflation = 1);

 private:
  void MakeDistribution(uint64_t n, uint64_t m);

  uint64_t n_ = 0;
  uint64_t m_ = 0;
  std::vector<double> ways_;  // by u; arrangements of n_ and m_ without ties
};

}  // namespace stepscope
