// SPDX-License-Identifier: Apache-2.0
#include "collector/window_filter.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "collector/step_judge.h"

namespace stepscope::collector {
namespace {

using format::SideKind;
using format::Slot;
using format::SlotRef;

Slot Event(uint64_t begin, uint32_t dur) { return {begin, dur, 7}; }

void AddSide(std::vector<Slot>& slots, SideKind kind, uint64_t tick,
             SlotRef ref) {
  slots.push_back({tick, 1, format::SideSite(kind, 1)});
  Slot payload;
  std::memcpy(&payload, &ref, sizeof(ref));
  slots.push_back(payload);
}

std::vector<uint64_t> Keep(std::vector<Slot> slots, const TickWindow& window) {
  static LateEnds ends;
  ends.Clear();
  const auto count = static_cast<uint32_t>(slots.size());
  CollectLateEnds(slots.data(), count, &ends);
  KeepWindowSlots(slots.data(), count, 0, window, ends);
  std::vector<uint64_t> begins;
  for (uint32_t i = 0; i < count; ++i) {
    if (slots[i].begin == 0) continue;
    begins.push_back(slots[i].begin);
    if (format::IsSide(slots[i].site))
      i += format::SidePayloadSlots(slots[i].site);
  }
  return begins;
}

TEST(WindowFilter, KeepsWhatReachesIntoTheWindow) {
  // Ends before, ends in it, an instant before, begins in it, is open.
  EXPECT_EQ(
      Keep({Event(10, 11), Event(20, 90), Event(30, STEPSCOPE_DUR_INSTANT),
            Event(100, 5), Event(40, 0)},
           {100, UINT64_MAX}),
      (std::vector<uint64_t>{20, 100, 40}));
}

TEST(WindowFilter, WhatBeginsAfterTheWindowIsLeftOut) {
  EXPECT_EQ(Keep({Event(100, 5), Event(200, 5), Event(201, 0)}, {50, 199}),
            (std::vector<uint64_t>{100}));
}

TEST(WindowFilter, ALateEndGoesWithItsEventAndStaysWithIt) {
  std::vector<Slot> slots = {Event(10, 0), Event(20, 0)};
  AddSide(slots, SideKind::kLateEnd, 90, {0, 0, 10});   // ended before
  AddSide(slots, SideKind::kLateEnd, 110, {1, 0, 20});  // in the window
  EXPECT_EQ(Keep(slots, {100, UINT64_MAX}), (std::vector<uint64_t>{20, 110}));
}

TEST(WindowFilter, AnArgumentStaysWithItsEvent) {
  std::vector<Slot> slots = {Event(10, 5), Event(20, 200), Event(120, 3)};
  AddSide(slots, SideKind::kArg, 11, {0, 3, 10});
  AddSide(slots, SideKind::kArg, 105, {1, 3, 20});
  AddSide(slots, SideKind::kArg, 121, {2, 3, 120});
  EXPECT_EQ(Keep(slots, {100, UINT64_MAX}),
            (std::vector<uint64_t>{20, 120, 105, 121}));
}

// More than fit: both stay, so that no end is without its event.
TEST(WindowFilter, LateEndsThatFindNoRoomKeepTheirEvents) {
  static LateEnds ends;
  ends.Clear();
  constexpr uint32_t kMany = 3 * LateEnds::kEntries;
  for (uint32_t i = 0; i < kMany; ++i) ends.Add({i, 0, 1000 + i}, 5);
  uint32_t known = 0;
  for (uint32_t i = 0; i < kMany; ++i)
    known += ends.EndedBefore(i, 1000 + i, 10) ? 1 : 0;
  EXPECT_LE(known, LateEnds::kEntries);
  EXPECT_GT(known, LateEnds::kEntries / 2);
  ends.Clear();
  EXPECT_FALSE(ends.EndedBefore(0, 1000, 10));
}

TEST(WindowFilter, DeviceRecordsByTheirEnd) {
  struct {
    stepscope_record_work old_work{}, work{};
    stepscope_record_call old_call{}, call{};
    stepscope_record_note old_note{}, note{};
    stepscope_record_details details{};
    stepscope_record_stats stats{};
  } records;
  const auto head = [](auto* record, uint16_t kind) {
    record->head = {kind, sizeof(*record), 0};
  };
  head(&records.old_work, STEPSCOPE_RECORD_WORK);
  head(&records.work, STEPSCOPE_RECORD_WORK);
  head(&records.old_call, STEPSCOPE_RECORD_CALL);
  head(&records.call, STEPSCOPE_RECORD_CALL);
  head(&records.old_note, STEPSCOPE_RECORD_NOTE);
  head(&records.note, STEPSCOPE_RECORD_NOTE);
  head(&records.details, STEPSCOPE_RECORD_DETAILS);
  head(&records.stats, STEPSCOPE_RECORD_STATS);
  records.old_work.end = records.old_call.end = 99;
  records.work.end = records.call.end = 100;
  records.old_call.correlation = records.old_note.correlation = 1;
  records.call.correlation = records.note.correlation = 2;
  auto* bytes = reinterpret_cast<uint8_t*>(&records);
  EXPECT_TRUE(HasCounts(bytes, sizeof(records)));
  DeviceWindow window;
  window.from = 100;
  window.first_call = FirstKeptCall(bytes, sizeof(records), 100);
  EXPECT_EQ(window.first_call, 2u);
  uint32_t count = 0;
  const size_t kept = KeepWindowRecords(bytes, sizeof(records), window, &count);
  EXPECT_EQ(count, 4u);  // work, call, note, details
  EXPECT_EQ(kept, sizeof(records.work) + sizeof(records.call) +
                      sizeof(records.note) + sizeof(records.details));
  EXPECT_FALSE(HasCounts(bytes, kept));
}

TEST(WindowFilter, ADamagedRecordEndsTheBlock) {
  stepscope_record_work work{};
  work.head = {STEPSCOPE_RECORD_WORK, 8, 0};  // shorter than such a record is
  uint32_t count = 7;
  EXPECT_EQ(KeepWindowRecords(reinterpret_cast<uint8_t*>(&work), sizeof(work),
                              {}, &count),
            0u);
  EXPECT_EQ(count, 0u);
}

TEST(StepJudge, OnlyAgainstAMedianAndAfterWarmUp) {
  StepJudge judge;
  EXPECT_FALSE(judge.IsSlow(900'000'000, 3));  // the first step compiles
  for (int i = 0; i < 20; ++i) EXPECT_FALSE(judge.IsSlow(10'000'000, 3));
  EXPECT_EQ(judge.median_ns(), 10'000'000);
  EXPECT_FALSE(judge.IsSlow(29'000'000, 3));
  EXPECT_TRUE(judge.IsSlow(31'000'000, 3));
  EXPECT_FALSE(judge.IsSlow(31'000'000, -1));
}

TEST(StepJudge, MicrosecondsAreNobodysLoss) {
  StepJudge judge;
  for (int i = 0; i < 30; ++i) judge.IsSlow(50'000, 3);
  EXPECT_FALSE(judge.IsSlow(900'000, 3));
  EXPECT_TRUE(judge.IsSlow(1'100'000, 3));
}

TEST(StepJudge, FollowsAJobThatBecomesSlower) {
  StepJudge judge;
  for (int i = 0; i < 30; ++i) judge.IsSlow(10'000'000, 3);
  int slow = 0;
  for (int i = 0; i < 300; ++i) slow += judge.IsSlow(50'000'000, 3) ? 1 : 0;
  EXPECT_LT(slow, 100);
  EXPECT_EQ(judge.median_ns(), 50'000'000);
}

}  // namespace
}  // namespace stepscope::collector
