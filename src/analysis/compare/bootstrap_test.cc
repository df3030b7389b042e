// SPDX-License-Identifier: Apache-2.0
#include "analysis/compare/bootstrap.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <vector>

#include "analysis/compare/planted_noise_test_support.h"

namespace stepscope {
namespace {

double Deviation(const std::vector<double>& values) {
  double sum = 0;
  double squares = 0;
  for (const double value : values) {
    sum += value;
    squares += value * value;
  }
  const auto n = static_cast<double>(values.size());
  return std::sqrt((squares - sum * sum / n) / (n - 1));
}

// B. Efron, R. Tibshirani: An introduction to the bootstrap, 1993, table 2.2:
// the standard error of the median of the treated mice is 37.83.
TEST(BootstrapTest, MedianOfTheMouseData) {
  const std::vector<int64_t> mice = {94, 197, 16, 38, 99, 141, 23};
  const std::vector<double> medians = ResampleMedians(mice, 1, 1, 20000);
  EXPECT_NEAR(Deviation(medians), 37.83, 0.8);
}

// Efron, 1979: the median of n = 2m - 1 drawn again is the k-th smallest with
// probability sum_{j<m} Bin(j; n, (k - 1) / n) - Bin(j; n, k / n). For n = 7:
// 0.0102, 0.0981, 0.2386, 0.3062, 0.2386, 0.0981, 0.0102.
TEST(BootstrapTest, MediansAreDrawnAsOftenAsTheyShouldBe) {
  const std::vector<int64_t> values = {7, 3, 1, 5, 2, 6, 4};
  constexpr size_t kSamples = 50000;
  std::map<double, double> share;
  for (const double median : ResampleMedians(values, 1, 2, kSamples)) {
    share[median] += 1.0 / kSamples;
  }
  const double kExpected[] = {0.0102, 0.0981, 0.2386, 0.3062,
                              0.2386, 0.0981, 0.0102};
  for (int k = 1; k <= 7; ++k) {
    EXPECT_NEAR(share[k], kExpected[k - 1], 0.006) << k;
  }
}

TEST(BootstrapTest, SameInputSameAnswer) {
  const std::vector<int64_t> a = {100, 103, 98, 101, 110};
  const std::vector<int64_t> b = {120, 118, 125, 119};
  const RatioInterval one = BootstrapRatio(a, 1, b, 1);
  const RatioInterval other = BootstrapRatio(a, 1, b, 1);
  EXPECT_EQ(one.low, other.low);
  EXPECT_EQ(one.high, other.high);
  EXPECT_GE(one.low, 118.0 / 110 - 1);
  EXPECT_LE(one.high, 125.0 / 98 - 1);
  EXPECT_LT(one.low, 0.18);
  EXPECT_GT(one.high, 0.18);
}

// The half width for n normal values on either side is close to
// 1.96 * 1.2533 * sigma * sqrt(2 / n); also where only a part is drawn.
TEST(BootstrapTest, WidthFollowsTheNumberOfSteps) {
  for (const size_t n : {200, 5000}) {
    PlantedNoise noise(n);
    const std::vector<int64_t> a = noise.Steps(n, 1e7, 0.05);
    const std::vector<int64_t> b = noise.Steps(n, 1e7, 0.05);
    const RatioInterval interval = BootstrapRatio(a, 1, b, 1);
    const double expected =
        1.96 * 1.2533 * 0.05 * std::sqrt(2.0 / static_cast<double>(n));
    const double half = (interval.high - interval.low) / 2;
    EXPECT_NEAR(half, expected, 0.3 * expected) << n;
  }
}

TEST(BootstrapTest, NeighboursThatAreAlikeWidenIt) {
  PlantedNoise noise(5);
  const std::vector<int64_t> free = noise.Steps(200, 1e7, 0.05);
  EXPECT_EQ(NeighbourCorrelation(free), 0);
  EXPECT_EQ(BlockLength(200, 0), 1U);
  const std::vector<int64_t> a = noise.Steps(200, 1e7, 0.05, 0.8);
  const std::vector<int64_t> b = noise.Steps(200, 1e7, 0.05, 0.8);
  const double correlation = NeighbourCorrelation(a);
  EXPECT_NEAR(correlation, 0.8, 0.1);
  const size_t block = BlockLength(200, correlation);
  EXPECT_GT(block, 5U);
  EXPECT_LE(block, 66U);
  const RatioInterval narrow = BootstrapRatio(a, 1, b, 1);
  const RatioInterval wide = BootstrapRatio(a, block, b, block);
  EXPECT_GT(wide.high - wide.low, 1.5 * (narrow.high - narrow.low));
}

TEST(BootstrapTest, OddSeries) {
  EXPECT_EQ(NeighbourCorrelation({}), 0);
  EXPECT_EQ(NeighbourCorrelation(std::vector<int64_t>(50, 7)), 0);
  std::vector<int64_t> rising;
  for (int i = 0; i < 50; ++i) rising.push_back(i);
  EXPECT_GT(NeighbourCorrelation(rising), 0.9);
  EXPECT_EQ(BlockLength(50, NeighbourCorrelation(rising)), 16U);
  const std::vector<int64_t> one = {5};
  const RatioInterval same = BootstrapRatio(one, 1, one, 1);
  EXPECT_EQ(same.low, 0);
  EXPECT_EQ(same.high, 0);
  // A median of 0 in some samples leaves the ratio finite.
  const std::vector<int64_t> with_zeros = {0, 0, 3, 4, 5};
  EXPECT_TRUE(std::isfinite(BootstrapRatio(with_zeros, 1, with_zeros, 1).high));
}

}  // namespace
}  // namespace stepscope
