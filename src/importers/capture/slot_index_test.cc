// SPDX-License-Identifier: Apache-2.0
#include "importers/capture/slot_index.h"

#include <gtest/gtest.h>

namespace stepscope::capture {
namespace {

using format::SlotPosition;
using format::SlotRef;

// Chunk 3, twice: slots 0..9 without 4 and 5 at ticks 100..190, and slots
// 0..4 at ticks 1000..1040; behind it, of another thread, slots 7..8.
SlotIndex MakeIndex() {
  SlotIndex index;
  index.BeginRun(3, 2, 0);
  index.AddBreak(0, 50);
  index.EndRun(4, 1000, 1040);
  index.BeginRun(3, 1, 0);
  index.AddBreak(0, 10);
  index.AddBreak(6, 14);
  index.EndRun(9, 100, 190);
  index.BeginRun(3, 2, 7);
  index.AddBreak(7, 70);
  index.EndRun(8, 1070, 1080);
  index.BeginRun(4, 3, 0);  // no events
  index.EndRun(~0u, ~uint64_t{0}, 0);
  index.Seal();
  return index;
}

TEST(SlotIndexTest, FindsTheIncarnationByTime) {
  const SlotIndex index = MakeIndex();
  EXPECT_EQ(index.Find({SlotPosition(3, 2), 0, 120}), 12u);
  EXPECT_EQ(index.Find({SlotPosition(3, 2), 0, 1020}), 52u);
  EXPECT_EQ(index.Find({SlotPosition(3, 8), 0, 1080}), 71u);
  // A signal handler's event, older than the run's neighbours.
  EXPECT_EQ(index.Find({SlotPosition(3, 9), 0, 185}), 17u);
}

TEST(SlotIndexTest, WhatIsNoEventIsNotFound) {
  const SlotIndex index = MakeIndex();
  EXPECT_EQ(index.Find({SlotPosition(3, 4), 0, 140}), kNoRow);
  EXPECT_EQ(index.Find({SlotPosition(3, 5), 0, 150}), kNoRow);
  EXPECT_EQ(index.Find({SlotPosition(3, 6), 0, 1060}), kNoRow);
  EXPECT_EQ(index.Find({SlotPosition(3, 0), 0, 99}), kNoRow);
  EXPECT_EQ(index.Find({SlotPosition(3, 0), 0, 500}), kNoRow);
  EXPECT_EQ(index.Find({SlotPosition(4, 0), 0, 100}), kNoRow);
  EXPECT_EQ(index.Find({SlotPosition(9, 0), 0, 100}), kNoRow);
  EXPECT_EQ(SlotIndex().Find({0, 0, 0}), kNoRow);
}

}  // namespace
}  // namespace stepscope::capture
