// SPDX-License-Identifier: Apache-2.0
#include "analysis/compare/rank_test.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace stepscope {
namespace {

StepSample Sample(std::vector<int64_t> values) {
  const size_t count = values.size();
  return StepSample::Of(std::move(values), count);
}

// The example of R's wilcox.test, from M. Hollander, D. Wolfe: Nonparametric
// statistical methods, 1973, p. 69: permeability of a membrane, in 1/100. R
// prints W = 35, p-value = 0.1272 for "greater".
TEST(RankTestTest, ExactAsInHollanderAndWolfe) {
  const StepSample y = Sample({115, 88, 90, 74, 121});
  const StepSample x = Sample({80, 83, 189, 104, 145, 138, 191, 164, 73, 146});
  const RankResult result = RankTest().Compare(y, x);
  EXPECT_EQ(result.u, 35);
  EXPECT_TRUE(result.exact);
  EXPECT_NEAR(result.p_above, 0.1272, 5e-5);
  EXPECT_NEAR(result.p, 0.2544, 1e-4);
}

// The example of scipy.stats.mannwhitneyu: U = 17, p = 0.1111 exactly; 0.11135
// by the normal distribution.
TEST(RankTestTest, ExactAndNormalAsInScipy) {
  const StepSample males = Sample({19, 22, 16, 29, 24});
  const StepSample females = Sample({20, 11, 17, 12});
  RankTest test;
  const RankResult exact = test.Compare(females, males);
  EXPECT_EQ(exact.u, 17);
  EXPECT_NEAR(exact.p, 1.0 / 9, 1e-12);
  // An inflation that does nothing but ask for the normal distribution.
  const RankResult normal = test.Compare(females, males, 1 + 1e-12);
  EXPECT_FALSE(normal.exact);
  EXPECT_NEAR(normal.p, 0.11134688653, 1e-9);
}

// R's airquality, ozone in May and August: many ties. R prints W = 127.5,
// p-value = 0.0001208.
TEST(RankTestTest, TiesAsInR) {
  const StepSample may =
      Sample({41, 36, 12, 18, 28, 23, 19, 8, 7,  16, 11, 14,  18,
              14, 34, 6,  30, 11, 1,  11, 4, 32, 23, 45, 115, 37});
  const StepSample august =
      Sample({39, 9,  16, 78, 35, 66, 122, 89,  110, 44, 28,  65, 22,
              59, 23, 31, 44, 21, 9,  45,  168, 73,  76, 118, 84, 85});
  const RankResult result = RankTest().Compare(august, may);
  EXPECT_EQ(result.u, 127.5);
  EXPECT_FALSE(result.exact);
  EXPECT_NEAR(result.p, 0.0001208, 5e-8);
}

// Critical values of U for 5 %, two-sided, as printed in tables since Mann and
// Whitney: the largest U whose tail is at most 2.5 %.
TEST(RankTestTest, CriticalValues) {
  const std::vector<std::pair<int, int>> kCritical = {
      {4, 0}, {5, 2}, {6, 5}, {7, 8}, {8, 13}, {9, 17}, {10, 23}, {20, 127}};
  RankTest test;
  for (const auto& [n, critical] : kCritical) {
    // b begins below all of a; then one of it moves up past `u` of a.
    for (const int u : {critical, critical + 1}) {
      std::vector<int64_t> a;
      std::vector<int64_t> b;
      for (int i = 0; i < n; ++i) a.push_back(100 * i);
      int left = u;
      for (int i = n; i-- > 0;) {
        const int passed = std::min(left, n);
        left -= passed;
        b.push_back(100 * passed - 60 + i);
      }
      const RankResult result = test.Compare(Sample(a), Sample(b));
      ASSERT_EQ(result.u, u);
      EXPECT_TRUE(result.exact);
      EXPECT_EQ(result.p_below <= 0.025, u == critical) << n;
    }
  }
}

TEST(RankTestTest, ExactWithTies) {
  // By hand: of the 20 ways to choose three of {1, 1, 2, 2, 3, 3}, those with
  // u as high as {2, 3, 3} against {1, 1, 2}: itself, in 2 ways.
  const RankResult result =
      RankTest().Compare(Sample({1, 1, 2}), Sample({2, 3, 3}));
  EXPECT_TRUE(result.exact);
  EXPECT_EQ(result.u, 8.5);
  EXPECT_NEAR(result.p_above, 2.0 / 20, 1e-12);
  EXPECT_NEAR(result.p, 4.0 / 20, 1e-12);
}

TEST(RankTestTest, StepsWithoutTheItemAreZeros) {
  RankTest test;
  const StepSample a{9, {5, 7}};  // and seven times 0
  const StepSample b{9, {3, 4, 6, 8, 9, 9}};
  const RankResult sparse = test.Compare(a, b);
  const RankResult dense = test.Compare(Sample({0, 0, 0, 0, 0, 0, 0, 5, 7}),
                                        Sample({0, 0, 0, 3, 4, 6, 8, 9, 9}));
  EXPECT_EQ(sparse.u, dense.u);
  EXPECT_EQ(sparse.p, dense.p);
  EXPECT_EQ(a.median(), 0);
  EXPECT_EQ(b.median(), 4);
  EXPECT_EQ(StepSample::Of({-3, 5}, 4).at(0), -3);
  EXPECT_EQ(StepSample::Of({-3, 5}, 4).at(2), 0);
  EXPECT_EQ(StepSample::Of({-3, 5}, 4).at(3), 5);
}

TEST(RankTestTest, NothingToTellApart) {
  RankTest test;
  EXPECT_EQ(test.Compare(Sample({}), Sample({})).p, 1);
  EXPECT_EQ(test.Compare(Sample({}), Sample({1})).p, 1);
  EXPECT_EQ(test.Compare(Sample({1}), Sample({2})).p, 1);
  EXPECT_EQ(test.Compare(Sample({4, 4, 4}), Sample({4, 4, 4, 4})).p, 1);
  std::vector<int64_t> many;
  for (int i = 0; i < 50; ++i) {
    many.push_back(i * i);
    EXPECT_EQ(test.Compare(Sample(many), Sample(many)).p, 1) << i;
  }
}

TEST(RankTestTest, SidesMirrorEachOther) {
  RankTest test;
  const StepSample a = Sample({10, 13, 19, 25, 26, 40});
  const StepSample b = Sample({12, 20, 28, 30, 41});
  const RankResult one = test.Compare(a, b);
  const RankResult other = test.Compare(b, a);
  EXPECT_EQ(one.u + other.u, 30);
  EXPECT_DOUBLE_EQ(one.p_above, other.p_below);
  EXPECT_DOUBLE_EQ(one.p, other.p);
}

}  // namespace
}  // namespace stepscope
