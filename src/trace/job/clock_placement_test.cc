// SPDX-License-Identifier: Apache-2.0
#include "trace/job/clock_placement.h"

#include <gtest/gtest.h>

namespace stepscope {
namespace {

constexpr int64_t kEpoch = 1'700'000'000'000'000'000;

TEST(ClockPlacement, WhatStatesNoTimeBeginsWithTheFirstThatDoes) {
  const ClockFacts facts[] = {{{0, false}, 777},  // would be 1970
                              {{kEpoch, true}, 500},
                              {{kEpoch + 1000, true}, -700}};
  const auto placed = PlaceClocks(facts);
  ASSERT_EQ(placed.size(), 3u);
  EXPECT_TRUE(placed[0].assumed);
  EXPECT_EQ(placed[0].epoch.ns + 777, kEpoch + 300);
  EXPECT_FALSE(placed[1].assumed);
  EXPECT_EQ(MapBetween(placed[2].epoch, placed[1].epoch).shift_ns(), 1000);
}

TEST(ClockPlacement, WhereNobodyKnowsNothingMoves) {
  const ClockFacts facts[] = {{{0, false}, 777}, {{5, false}, 500}};
  const auto placed = PlaceClocks(facts);
  EXPECT_FALSE(placed[0].assumed || placed[1].assumed);
  EXPECT_EQ(placed[1].epoch.ns, 5);
  EXPECT_TRUE(MapBetween(placed[1].epoch, placed[0].epoch).is_identity());
}

TEST(ClockPlacement, TimesThatOverflowPlaceNothing) {
  const ClockFacts facts[] = {{{INT64_MAX, true}, 5}, {{0, false}, 3}};
  EXPECT_FALSE(PlaceClocks(facts)[1].assumed);
  EXPECT_TRUE(MapBetween({INT64_MAX, true}, {-5, true}).is_identity());
  const ClockFacts empty[] = {{{kEpoch, true}, 5}, {{0, false}, {}}};
  EXPECT_FALSE(PlaceClocks(empty)[1].assumed);
}

}  // namespace
}  // namespace stepscope
