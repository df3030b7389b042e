// SPDX-License-Identifier: Apache-2.0
#include "importers/capture/slot_index.h"

#include <gtest/gtest.h>

namespace stepscope::capture {
namespace {

using format::SlotPosition;

// Chunk 3, twice: slots 0..9 without 4 and 5 from ns 100 on, and slots 0..4
// from ns 1000 on; behind it, of another thread, slots 7..8 from ns 1070.
void Add(SlotIndex& index, uint32_t chunk, uint64_t incarnation,
         int64_t first_ns, Row last_row,
         const std::vector<SlotIndex::Break>& breaks) {
  format::EventsHeader header = {};
  header.chunk = chunk;
  header.incarnation = incarnation;
  header.first_slot = breaks.empty() ? 0 : breaks[0].slot;
  index.AddRun(header, first_ns, last_row, breaks);
}

SlotIndex MakeIndex() {
  SlotIndex index;
  Add(index, 3, 2, 1000, 55, {{0, 50}});
  Add(index, 3, 1, 100, 18, {{0, 10}, {6, 14}});
  Add(index, 3, 2, 1070, 72, {{7, 70}});
  Add(index, 4, 3, 0, 72, {});
  index.Seal();
  return index;
}

Row Find(const SlotIndex& index, uint32_t chunk, uint32_t slot, int64_t start) {
  return index.Find(SlotPosition(chunk, slot), start, [](Row) { return true; });
}

TEST(SlotIndexTest, FindsTheIncarnationByTime) {
  const SlotIndex index = MakeIndex();
  EXPECT_EQ(Find(index, 3, 7, 170), 15u);
  EXPECT_EQ(Find(index, 3, 8, 1080), 71u);
  // Two incarnations have a slot 2: the check tells.
  for (const Row row : {12u, 52u}) {
    EXPECT_EQ(
        index.Find(SlotPosition(3, 2), 1020, [&](Row r) { return r == row; }),
        row);
  }
  // A signal handler's event in slot 8, before that of slot 7.
  EXPECT_EQ(
      index.Find(SlotPosition(3, 8), 1069, [&](Row r) { return r == 71; }),
      71u);
}

TEST(SlotIndexTest, WhatIsNoEventIsNotFound) {
  const SlotIndex index = MakeIndex();
  EXPECT_EQ(index.Find(SlotPosition(3, 4), 140, [](Row r) { return r < 50; }),
            kNoRow);
  EXPECT_EQ(Find(index, 3, 5, 150), kNoRow);
  EXPECT_EQ(Find(index, 3, 10, 1090), kNoRow);
  EXPECT_EQ(Find(index, 4, 0, 100), kNoRow);
  EXPECT_EQ(Find(index, 9, 0, 100), kNoRow);
  EXPECT_EQ(Find(SlotIndex(), 0, 0, 0), kNoRow);
}

}  // namespace
}  // namespace stepscope::capture
