// SPDX-License-Identifier: Apache-2.0
#include "trace/clock_map.h"

#include <gtest/gtest.h>

namespace stepscope {
namespace {

TEST(ClockMapTest, ShiftsAreExactAndWrap) {
  EXPECT_TRUE(ClockMap().is_identity());
  EXPECT_EQ(ClockMap()(INT64_MIN), INT64_MIN);
  const ClockMap shift = ClockMap::Shift(500);
  EXPECT_EQ(shift(-700), -200);
  EXPECT_EQ(shift.shift_ns(), 500);
  EXPECT_EQ(shift.ThenShift(-500)(9), 9);
  EXPECT_TRUE(shift.ThenShift(-500).is_identity());
  EXPECT_EQ(shift(INT64_MAX), INT64_MIN + 499);
}

TEST(ClockMapTest, RunsThroughBothReadings) {
  // 30 ppm fast over an hour, at times that a double cannot hold.
  const int64_t a = 1'794'782'521'789'669'469;
  const int64_t hour = 3'600'000'000'000;
  const ClockMap map =
      ClockMap::Through(a, -5, a + hour, -5 + hour + 108'000'000);
  EXPECT_FALSE(map.is_shift());
  EXPECT_EQ(map(a), -5);
  EXPECT_EQ(map(a + hour), -5 + hour + 108'000'000);
  EXPECT_EQ(map(a + hour / 2), -5 + hour / 2 + 54'000'000);
  // Towards the past also before the first reading.
  EXPECT_EQ(map(a - 1), -7);
  int64_t before = map(a - 1000);
  for (int64_t t = a - 999; t < a + 1000; ++t) {
    EXPECT_GE(map(t), before);
    before = map(t);
  }
}

TEST(ClockMapTest, ReadingsThatDoNotAdvanceMakeAShift) {
  EXPECT_EQ(ClockMap::Through(10, 20, 10, 30), ClockMap::Through(10, 20, 9, 9));
  EXPECT_EQ(ClockMap::Through(10, 20, 10, 30)(100), 110);
  EXPECT_TRUE(ClockMap::Through(0, 0, INT64_MAX, 5).is_shift());
  EXPECT_TRUE(ClockMap::FromParts(0, 0, -1, 0).is_identity());
}

}  // namespace
}  // namespace stepscope
