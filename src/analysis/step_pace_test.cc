// SPDX-License-Identifier: Apache-2.0
#include "analysis/step_pace.h"

#include <gtest/gtest.h>

#include <vector>

namespace stepscope {
namespace {

StepInterval Step(int64_t index, Interval host, Interval device = {}) {
  StepInterval step;
  step.index = index;
  step.range = host;
  step.device = device;
  return step;
}

std::vector<int64_t> Periods(std::vector<StepInterval> steps, bool device) {
  EXPECT_EQ(SetPeriods(steps), device);
  std::vector<int64_t> periods;
  for (const StepInterval& step : steps) periods.push_back(step.period_ns);
  return periods;
}
using Values = std::vector<int64_t>;

TEST(StepPaceTest, HostStartToStart) {
  EXPECT_EQ(
      Periods({Step(0, {0, 90}), Step(1, {100, 180}), Step(2, {210, 300})},
              false),
      (Values{100, 110, 90}));
}

TEST(StepPaceTest, WhatIsInNoStepIsInNoPeriod) {
  StepInterval after = Step(2, {900, 980});
  after.rested = true;
  EXPECT_EQ(Periods({Step(0, {0, 90}), Step(1, {100, 180}), after}, false),
            (Values{100, 80, 80}));
}

TEST(StepPaceTest, LastEndsWhenTheDeviceIsDone) {
  EXPECT_EQ(
      Periods({Step(0, {0, 90}, {10, 80}), Step(1, {100, 180}, {110, 230})},
              false),
      (Values{100, 130}));
  EXPECT_EQ(Periods({Step(0, {0, 10}, {5, 95})}, false), (Values{95}));
  EXPECT_EQ(Periods({}, false), (Values{}));
}

TEST(StepPaceTest, DevicePacesWhereTheHostRunsAhead) {
  EXPECT_EQ(Periods({Step(0, {0, 7}, {5, 95}), Step(1, {8, 15}, {100, 190}),
                     Step(2, {16, 23}, {195, 285})},
                    true),
            (Values{95, 95, 90}));
}

TEST(StepPaceTest, DevicePacesWhereTheHostWaitsNowAndThen) {
  // The host waits in every third step and so is as fast over all.
  std::vector<StepInterval> steps;
  const int64_t starts[] = {0, 10, 20, 300, 310, 320, 600, 610, 620};
  for (int64_t i = 0; i < 9; ++i) {
    steps.push_back(
        Step(i, {starts[i], starts[i] + 9}, {i * 100 + 5, i * 100 + 104}));
  }
  EXPECT_EQ(Periods(steps, true),
            (Values{100, 100, 100, 100, 100, 100, 100, 100, 99}));
}

TEST(StepPaceTest, JitterOfTheDeviceDoesNotPace) {
  // The device waits for the host: it is done before the next step begins.
  EXPECT_EQ(
      Periods({Step(0, {0, 99}, {10, 50}), Step(1, {100, 199}, {130, 190}),
               Step(2, {200, 299}, {250, 290})},
              false),
      (Values{100, 100, 99}));
}

TEST(StepPaceTest, EarlyCopyDoesNotMakeTheTurnComeSooner) {
  EXPECT_EQ(Periods({Step(0, {0, 7}, {5, 105}), Step(1, {8, 15}, {9, 205}),
                     Step(2, {16, 23}, {17, 305})},
                    true),
            (Values{100, 100, 100}));
}

TEST(StepPaceTest, StepsThatWereNotRecordedAreNoPeriod) {
  EXPECT_EQ(
      Periods({Step(2, {0, 90}), Step(3, {100, 180}), Step(8, {9000, 9100})},
              false),
      (Values{100, 80, 100}));
}

TEST(StepPaceTest, NeverNegative) {
  const Values periods =
      Periods({Step(0, {100, 50}), Step(1, {90, 10}),
               Step(2, {INT64_MIN, INT64_MAX}, {INT64_MAX, INT64_MIN})},
              false);
  for (const int64_t period : periods) EXPECT_GE(period, 0);
}

TEST(StepPaceTest, StepsWithoutWorkAmongOthers) {
  EXPECT_EQ(Periods({Step(0, {0, 7}, {5, 95}), Step(1, {8, 15}, {100, 190}),
                     Step(2, {16, 23}), Step(3, {24, 30}, {195, 285}),
                     Step(4, {32, 40}, {290, 380})},
                    true),
            (Values{95, 90, 5, 95, 90}));
}

}  // namespace
}  // namespace stepscope
