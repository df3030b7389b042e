// SPDX-License-Identifier: Apache-2.0
#include "analysis/interval.h"

#include <gtest/gtest.h>

#include <random>

namespace stepscope {
namespace {

IntervalSet Collect(const std::vector<Interval>& parts) {
  IntervalCollector collector;
  for (const Interval& part : parts) collector.Add(part.begin, part.end);
  return collector.Finish();
}

TEST(IntervalTest, TouchingRangesBecomeOne) {
  EXPECT_EQ(Collect({{0, 5}, {5, 9}}), (IntervalSet{{0, 9}}));
  EXPECT_EQ(Collect({{0, 5}, {6, 9}}), (IntervalSet{{0, 5}, {6, 9}}));
}

TEST(IntervalTest, ContainedAndEmptyRangesVanish) {
  EXPECT_EQ(Collect({{0, 9}, {2, 3}, {4, 4}, {20, 20}}), (IntervalSet{{0, 9}}));
  EXPECT_TRUE(Collect({{7, 3}}).empty());
}

TEST(IntervalTest, AnyNumberOfRunsIsMerged) {
  for (int runs = 1; runs < 10; ++runs) {
    IntervalCollector collector;
    for (int run = runs; run-- > 0;) {
      for (int i = 0; i < 3; ++i) {
        collector.Add(100 * i + 10 * run, 100 * i + 10 * run + 5);
      }
    }
    const IntervalSet set = collector.Finish();
    ASSERT_EQ(set.size(), static_cast<size_t>(3 * runs));
    EXPECT_EQ(TotalLength(set), 15 * runs);
    EXPECT_EQ(set.front(), (Interval{0, 5}));
  }
}

TEST(IntervalTest, DifferenceKeepsARangeOfTheSecondForSeveralOfTheFirst) {
  EXPECT_EQ(Difference(IntervalSet{{0, 4}, {6, 10}}, IntervalSet{{2, 8}}),
            (IntervalSet{{0, 2}, {8, 10}}));
}

TEST(IntervalTest, TotalsStayAtTheEndOfTheRange) {
  EXPECT_EQ(TotalLength(IntervalSet{{INT64_MIN, -1}, {0, INT64_MAX}}),
            INT64_MAX);
}

// Against one bit a nanosecond.
TEST(IntervalTest, AgreesWithBitsOnRandomSets) {
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    constexpr int kSpan = 64;
    const auto draw = [&](std::vector<bool>& bits) {
      std::vector<Interval> parts;
      const int count = static_cast<int>(random() % 12);
      for (int i = 0; i < count; ++i) {
        const int64_t begin = random() % kSpan;
        const int64_t end = begin + random() % (kSpan - begin);
        for (int64_t t = begin; t < end; ++t) bits[static_cast<size_t>(t)] = 1;
        parts.push_back({begin, end});
      }
      return Collect(parts);
    };
    const auto from_bits = [&](auto is_set) {
      IntervalCollector collector;
      for (size_t t = 0; t < kSpan; ++t) {
        const auto time = static_cast<int64_t>(t);
        if (is_set(t)) collector.Add(time, time + 1);
      }
      return collector.Finish();
    };
    std::vector<bool> x(kSpan);
    std::vector<bool> y(kSpan);
    const IntervalSet a = draw(x);
    const IntervalSet b = draw(y);
    ASSERT_EQ(a, from_bits([&](size_t t) { return x[t]; }));
    ASSERT_EQ(Union(a, b), from_bits([&](size_t t) { return x[t] || y[t]; }));
    ASSERT_EQ(Intersection(a, b),
              from_bits([&](size_t t) { return x[t] && y[t]; }));
    ASSERT_EQ(Difference(a, b),
              from_bits([&](size_t t) { return x[t] && !y[t]; }));
  }
}

TEST(IntervalTest, TakeDividesIntoTakenAndRest) {
  const IntervalSet set = {{5, 12}, {20, 21}, {28, 40}};
  const IntervalSet whole = {{0, 10}, {11, 30}, {35, 36}, {50, 60}};
  Remainder remainder;
  remainder.Reset(whole);
  IntervalSet taken = {{7, 8}};  // replaced
  EXPECT_EQ(remainder.Take(set, taken), 5 + 1 + 1 + 2 + 1);
  EXPECT_EQ(taken, Intersection(whole, set));
  EXPECT_EQ(remainder.rest(), Difference(whole, set));
  EXPECT_EQ(OverlapLength(whole, set), TotalLength(taken));
  EXPECT_EQ(remainder.Take({}, taken), 0);
  EXPECT_TRUE(taken.empty());
}

TEST(IntervalTest, ACollectorGoesOnWithTheMemoryOfTheLastSet) {
  IntervalCollector collector;
  IntervalSet set = {{1, 2}};
  collector.Add(5, 9);
  collector.Add(3, 6);
  collector.Finish(set);
  EXPECT_EQ(set, (IntervalSet{{3, 9}}));
  collector.Add(1, 2);
  collector.Finish(set);
  EXPECT_EQ(set, (IntervalSet{{1, 2}}));
  EXPECT_TRUE(collector.Finish().empty());
}

}  // namespace
}  // namespace stepscope
