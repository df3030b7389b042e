// SPDX-License-Identifier: Apache-2.0
#include "collector/window_index.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace stepscope::collector {
namespace {

WindowMark Mark(uint64_t tick, uint64_t bytes) {
  WindowMark mark = {};
  mark.anchor.tick = tick;
  mark.bytes = bytes;
  return mark;
}

std::vector<uint64_t> Needed(WindowIndex& index, uint64_t start,
                             uint64_t from) {
  std::vector<uint64_t> blocks(WindowIndex::kMostNeeded);
  blocks.resize(index.NeededBefore(start, from, blocks.data()));
  return blocks;
}

TEST(WindowMarks, FindTheLastOneBeforeATick) {
  WindowMarks marks;
  EXPECT_EQ(marks.Before(UINT64_MAX), nullptr);
  for (uint64_t i = 1; i <= 10; ++i) marks.Add(Mark(10 * i, i));
  EXPECT_EQ(marks.Before(10), nullptr);
  EXPECT_EQ(marks.Before(11)->bytes, 1u);
  EXPECT_EQ(marks.Before(50)->bytes, 4u);
  EXPECT_EQ(marks.Before(1000)->bytes, 10u);
}

TEST(WindowMarks, AWindowIsFoundToWithinAShareOfItsSize) {
  WindowMarks marks;
  constexpr uint64_t kMany = 200000;
  for (uint64_t i = 1; i <= kMany; ++i) marks.Add(Mark(i, i));
  EXPECT_LE(marks.count(), WindowMarks::kMarks);
  for (uint64_t size = 1; size < kMany / 2; size += 1 + size / 8) {
    const WindowMark* mark = marks.Before(kMany - size);
    ASSERT_NE(mark, nullptr) << size;
    EXPECT_LE(kMany - mark->bytes, 2 + size + size / 4) << size;
  }
}

TEST(WindowIndex, NeedsWhatWasOpenWhenTheWindowBegan) {
  const auto index = std::make_unique<WindowIndex>();
  index->Clear();
  index->Pin(64);
  index->ends.AddBegin(1, 10, 100);  // is open
  index->ends.AddBegin(2, 20, 200);  // ended before
  index->ends.Add({2, 0, 20}, 25, 300);
  index->ends.AddBegin(3, 21, 200);  // ended in the window
  index->ends.Add({3, 0, 21}, 55, 900);
  index->ends.Add({4, 0, 22}, 26, 300);  // its event is not in the file
  EXPECT_EQ(Needed(*index, 1000, 50), (std::vector<uint64_t>{64, 100, 200}));
  EXPECT_EQ(Needed(*index, 150, 50), (std::vector<uint64_t>{64, 100}));
  EXPECT_EQ(Needed(*index, 1000, 60), (std::vector<uint64_t>{64, 100}));
}

TEST(WindowIndex, ReadsAllWhereItHasForgottenTooMuch) {
  const auto index = std::make_unique<WindowIndex>();
  index->Clear();
  index->marks.Add(Mark(1000, 5000));
  EXPECT_NE(index->StartOf(2000), nullptr);
  EXPECT_EQ(index->StartOf(1000), nullptr);
  // More events than it can hold, all of them over by tick 500 and in the file
  // before byte 4000: windows after that need none of them.
  for (uint32_t i = 0; i < 3 * LateEnds::kEntries; ++i) {
    index->ends.AddBegin(i, 1 + i, 4000);
    index->ends.Add({i, 0, 1 + i}, 500, 4000);
  }
  EXPECT_NE(index->StartOf(2000), nullptr);
  // Nor can it hold so many that are open.
  for (uint32_t i = 0; i < 3 * LateEnds::kEntries; ++i)
    index->ends.AddBegin(i, 1000000 + i, 4000);
  EXPECT_EQ(index->StartOf(2000), nullptr);
  index->Clear();
  index->marks.Add(Mark(1000, 5000));
  EXPECT_NE(index->StartOf(2000), nullptr);
  for (uint32_t i = 0; i <= WindowIndex::kPins; ++i) index->Pin(i);
  EXPECT_EQ(index->StartOf(2000), nullptr);
}

}  // namespace
}  // namespace stepscope::collector
