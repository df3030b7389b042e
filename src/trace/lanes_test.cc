// SPDX-License-Identifier: Apache-2.0
#include "trace/lanes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace stepscope {
namespace {

TEST(LanesTest, NestedStaysOnOneLane) {
  Lanes lanes;
  EXPECT_EQ(lanes.Place(0, 100), 0u);
  EXPECT_EQ(lanes.Place(0, 100), 0u);
  EXPECT_EQ(lanes.Place(10, 20), 0u);
  EXPECT_EQ(lanes.Place(20, 100), 0u);
  EXPECT_EQ(lanes.Place(100, 100), 0u);
}

TEST(LanesTest, OverlapTakesTheLowestLaneWithRoom) {
  Lanes lanes;
  EXPECT_EQ(lanes.Place(0, 10), 0u);
  EXPECT_EQ(lanes.Place(5, 15), 1u);
  EXPECT_EQ(lanes.Place(6, 16), 2u);
  EXPECT_EQ(lanes.Place(7, 9), 0u);
  EXPECT_EQ(lanes.Place(12, 14), 0u);
  EXPECT_EQ(lanes.Place(13, 30), 3u);
}

// Against the plain rule: try each lane in turn.
TEST(LanesTest, AgreesWithLinearSearch) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::pair<int64_t, int64_t>> events;
    for (int i = 0; i < 60; ++i) {
      const auto start = static_cast<int64_t>(random() % 50);
      events.emplace_back(start, start + static_cast<int64_t>(random() % 30));
    }
    std::sort(events.begin(), events.end(), [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first < b.first : a.second > b.second;
    });
    Lanes lanes;
    std::vector<std::vector<int64_t>> plain;
    for (const auto& [start, end] : events) {
      uint32_t want = 0;
      for (;; ++want) {
        if (want == plain.size()) plain.emplace_back();
        std::vector<int64_t>& stack = plain[want];
        while (!stack.empty() && stack.back() <= start) stack.pop_back();
        if (stack.empty() || end <= stack.back()) break;
      }
      plain[want].push_back(end);
      ASSERT_EQ(lanes.Place(start, end), want) << start << ".." << end;
    }
    EXPECT_EQ(lanes.count(), plain.size());
  }
}

// Every event overlaps every other: quadratic time would not come back.
TEST(LanesTest, HundredThousandLanes) {
  Lanes lanes;
  for (int64_t i = 0; i < 100'000; ++i)
    ASSERT_EQ(lanes.Place(i, 1'000'000 + i), static_cast<uint32_t>(i));
}

}  // namespace
}  // namespace stepscope
