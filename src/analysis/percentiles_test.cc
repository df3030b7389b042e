// SPDX-License-Identifier: Apache-2.0
#include "analysis/percentiles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace stepscope {
namespace {

void ExpectExact(std::vector<int64_t> values) {
  std::vector<int64_t> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  const Spread spread = ComputeSpread(values);
  const auto rank = [&](size_t percent) {
    return sorted[(sorted.size() * percent + 99) / 100 - 1];
  };
  EXPECT_EQ(spread.p50_ns, rank(50));
  EXPECT_EQ(spread.p90_ns, rank(90));
  EXPECT_EQ(spread.p99_ns, rank(99));
  size_t at = 0;
  for (const HistogramBin& bin : spread.histogram) {
    ASSERT_GT(bin.count, 0u);
    for (uint64_t i = 0; i < bin.count; ++i, ++at) {
      ASSERT_GE(sorted[at], bin.from_ns());
      ASSERT_TRUE(sorted[at] < bin.to_ns() || sorted[at] == INT64_MAX);
    }
  }
  EXPECT_EQ(at, sorted.size());
}

TEST(PercentilesTest, AreThoseOfTheSortedValues) {
  std::mt19937_64 random(7);
  for (const size_t count :
       {1u, 2u, 10u, 64u, 65u, 257u, 1023u, 1024u, 20000u}) {
    for (const int bits : {1, 4, 10, 31, 62}) {
      std::vector<int64_t> values(count);
      for (int64_t& value : values) {
        value = static_cast<int64_t>(random() & ((uint64_t{1} << bits) - 1));
      }
      SCOPED_TRACE(std::to_string(count) + " of " + std::to_string(bits));
      ExpectExact(values);
    }
  }
}

TEST(PercentilesTest, TakesWhatIsAllAlike) {
  ExpectExact(std::vector<int64_t>(5000, 1000));
  ExpectExact(std::vector<int64_t>(5000, 0));
  ExpectExact(std::vector<int64_t>(5000, INT64_MAX));
}

TEST(PercentilesTest, NothingHasNone) {
  const Spread spread = ComputeSpread({});
  EXPECT_EQ(spread.p99_ns, 0);
  EXPECT_TRUE(spread.histogram.empty());
}

TEST(PercentilesTest, GroupsStayApart) {
  const uint64_t counts[] = {2, 0, 3};
  // The largest decides how a value is kept.
  for (const int64_t largest : {int64_t{30}, INT64_MAX}) {
    GroupedValues values(counts, largest);
    values.Add(2, 30);
    values.Add(0, 1);
    values.Add(2, 10);
    values.Add(0, 2);
    values.Add(2, 20);
    values.Add(0, 99);  // more than was said: refused, not written elsewhere
    EXPECT_EQ(values.SpreadOf(0).p99_ns, 2);
    EXPECT_EQ(values.SpreadOf(1).p50_ns, 0);
    EXPECT_EQ(values.SpreadOf(2).p50_ns, 20);
  }
}

TEST(PercentilesTest, ListsWidenWhenTheyMust) {
  std::vector<int64_t> values;
  Durations list(10);
  for (int64_t i = 0; i < 5000; ++i) {
    const int64_t value = i < 3000 ? i * 7919 % 3000 : i << 32;
    values.push_back(value);
    list.Add(value);
  }
  const Spread wanted = ComputeSpread(values);
  const Spread spread = list.ComputeSpread();
  EXPECT_EQ(spread.p50_ns, wanted.p50_ns);
  EXPECT_EQ(spread.p90_ns, wanted.p90_ns);
  EXPECT_EQ(spread.histogram.size(), wanted.histogram.size());
  EXPECT_GT(spread.p90_ns, int64_t{UINT32_MAX});
}

TEST(PercentilesTest, GroupsKeepValuesWhole) {
  const uint64_t counts[] = {1};
  for (const int64_t value :
       {int64_t{UINT32_MAX}, int64_t{UINT32_MAX} + 1, INT64_MAX}) {
    GroupedValues values(counts, value);
    values.Add(0, value);
    EXPECT_EQ(values.SpreadOf(0).p50_ns, value);
  }
}

}  // namespace
}  // namespace stepscope
