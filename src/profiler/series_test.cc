// SPDX-License-Identifier: Apache-2.0
#include "profiler/series.h"

#include <gtest/gtest.h>

namespace stepscope::profiler {
namespace {

TEST(Series, Empty) {
  Series series;
  EXPECT_EQ(series.count(), 0);
  EXPECT_EQ(series.max(), 0);
  EXPECT_EQ(series.Percentile(50), 0);
}

TEST(Series, FirstValueIsBothExtremes) {
  Series series;
  series.Add(7);
  EXPECT_EQ(series.max(), 7);
  EXPECT_EQ(series.min(), 7);
  series.Add(9);
  EXPECT_EQ(series.min(), 7);
  EXPECT_EQ(series.max(), 9);
  series.Add(3);
  EXPECT_EQ(series.min(), 3);
}

TEST(Series, PercentilesAreNearestRank) {
  Series series;
  for (int64_t i = 100; i >= 1; --i) series.Add(i);
  EXPECT_EQ(series.Percentile(50), 50);
  EXPECT_EQ(series.Percentile(90), 90);
  EXPECT_EQ(series.Percentile(99), 99);
  EXPECT_EQ(series.Percentile(100), 100);
  Series two;
  two.Add(1);
  two.Add(2);
  EXPECT_EQ(two.Percentile(50), 1);
  EXPECT_EQ(two.Percentile(51), 2);
}

TEST(Series, MemoryIsBoundedAndTotalsStayExact) {
  Series series;
  const int64_t n = 1'000'000;
  for (int64_t i = 0; i < n; ++i) series.Add(i);
  EXPECT_EQ(series.count(), n);
  EXPECT_EQ(series.total(), n * (n - 1) / 2);
  EXPECT_EQ(series.max(), n - 1);
  EXPECT_EQ(series.stride(), 16);
  EXPECT_NEAR(static_cast<double>(series.Percentile(50)), 500'000.0, 32.0);
  EXPECT_NEAR(static_cast<double>(series.Percentile(99)), 990'000.0, 32.0);
}

}  // namespace
}  // namespace stepscope::profiler
