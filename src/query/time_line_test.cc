// SPDX-License-Identifier: Apache-2.0
#include "query/time_line.h"

#include <gtest/gtest.h>

#include <random>

namespace stepscope {
namespace {

TEST(TimeLine, SaysWhatHoldsWhicheverWasAskedBefore) {
  TimeLine<int> line;
  for (int i = 0; i < 20; ++i) line.Add(i * 10, i);
  std::mt19937 random(1);
  size_t likely = 0;
  for (int i = 0; i < 10'000; ++i) {
    const int64_t time = static_cast<int64_t>(random() % 240) - 20;
    const int expected =
        time < 0 ? -1 : static_cast<int>(std::min<int64_t>(time / 10, 19));
    EXPECT_EQ(line.At(time, likely, -1), expected) << time;
  }
}

TEST(TimeLine, EmptyHoldsNothing) {
  const TimeLine<int> line;
  size_t likely = 0;
  EXPECT_EQ(line.At(5, likely, -1), -1);
}

}  // namespace
}  // namespace stepscope
