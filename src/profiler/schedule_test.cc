// SPDX-License-Identifier: Apache-2.0
#include "profiler/schedule.h"

#include <gtest/gtest.h>

#include <string>

namespace stepscope::profiler {
namespace {

stepscope_schedule Make(int64_t closed, int64_t ready, int64_t record,
                        int64_t repeat = 0, int64_t skip_first = 0) {
  return {
      sizeof(stepscope_schedule), 0, closed, ready, record, repeat, skip_first};
}

// One letter a step: Closed, reAdy, Record, retUrn, ? invalid.
std::string Draw(const stepscope_schedule& schedule, int64_t steps) {
  std::string drawn;
  for (int64_t step = 0; step < steps; ++step) {
    int state = stepscope_schedule_state(&schedule, step);
    drawn += IsState(state) ? "CARU"[state] : '?';
  }
  return drawn;
}

TEST(Schedule, RepeatsThreeTimesThenCloses) {
  EXPECT_EQ(Draw(Make(1, 1, 4, 3), 22), "CARRRUCARRRUCARRRUCCCC");
}

TEST(Schedule, SkipsFirstSteps) {
  EXPECT_EQ(Draw(Make(1, 1, 4, 0, 1), 20), "CCARRRUCARRRUCARRRUC");
}

TEST(Schedule, EveryStepIsAWindow) {
  EXPECT_EQ(Draw(Make(0, 0, 1), 5), "UUUUU");
}

TEST(Schedule, RefusesNumbersThatMakeNoSense) {
  EXPECT_EQ(Draw(Make(-1, 0, 1), 1), "?");
  EXPECT_EQ(Draw(Make(0, -1, 1), 1), "?");
  EXPECT_EQ(Draw(Make(0, 0, 0), 1), "?");
  EXPECT_EQ(Draw(Make(0, 0, 1, -1), 1), "?");
  EXPECT_EQ(Draw(Make(0, 0, 1, 0, -1), 1), "?");
  stepscope_schedule good = Make(0, 0, 1);
  EXPECT_EQ(stepscope_schedule_state(&good, -1), -1);
  EXPECT_EQ(stepscope_schedule_state(nullptr, 0), -1);
  good.struct_size = 8;
  EXPECT_EQ(stepscope_schedule_state(&good, 0), -1);
}

TEST(Schedule, HugeNumbersDoNotOverflow) {
  stepscope_schedule schedule = Make(INT64_MAX, INT64_MAX, INT64_MAX, 2);
  EXPECT_EQ(stepscope_schedule_state(&schedule, INT64_MAX - 1),
            STEPSCOPE_STATE_CLOSED);
}

TEST(Schedule, RangeHasAReadyStepBeforeIt) {
  EXPECT_EQ(Draw(ScheduleFor({2, 5}), 8), "CARRUCCC");
  EXPECT_EQ(Draw(ScheduleFor({1, 2}), 4), "AUCC");
  EXPECT_EQ(Draw(ScheduleFor({0, 3}), 5), "RRUCC");
  EXPECT_EQ(Draw(ScheduleFor({0, INT64_MAX}), 5), "RRRRR");
}

TEST(Schedule, ParsesRanges) {
  auto span = ParseStepBounds("2:10");
  ASSERT_TRUE(span.has_value());
  EXPECT_EQ(span->first, 2);
  EXPECT_EQ(span->last, 10);
  EXPECT_EQ(ParseStepBounds("7:")->last, INT64_MAX);
  EXPECT_EQ(ParseStepBounds(":4")->last, 4);
  for (const char* bad : {"", "3", "5:5", "6:5", "-1:5", "a:b", "1:2x", "1:2:3",
                          " 1:2", "1:99999999999999999999"}) {
    EXPECT_FALSE(ParseStepBounds(bad).has_value()) << bad;
  }
}

}  // namespace
}  // namespace stepscope::profiler
