// SPDX-License-Identifier: Apache-2.0
#include "importers/capture/event_times.h"

#include <gtest/gtest.h>

#include <random>

namespace stepscope::capture {
namespace {

using format::EventBatch;

ClockMap::Segment RandomSegment(std::mt19937_64& rng) {
  ClockMap::Segment segment;
  segment.tick = rng() >> 2;
  segment.span = (uint64_t{1} << 40) + (rng() >> 3);
  segment.ns = static_cast<int64_t>(rng() >> 4);
  segment.whole = rng() % 3 == 0 ? rng() % 100 : 0;
  segment.fraction = rng();
  if (rng() % 8 == 0) segment.fraction |= 0xffffffff00000000u;
  if (rng() % 8 == 0) segment.fraction |= 0xffffffffu;
  return segment;
}

void Fill(std::mt19937_64& rng, const ClockMap::Segment& segment,
          EventBatch& batch) {
  batch.base = segment.tick + (rng() >> (24 + rng() % 40));
  batch.count = static_cast<uint32_t>(1 + rng() % EventBatch::kRows);
  uint32_t from = 0;
  for (uint32_t i = 0; i < batch.count; ++i) {
    from += static_cast<uint32_t>(rng() >> 41);
    batch.from[i] = from;
    batch.dur[i] = static_cast<uint32_t>(rng() >> (33 + rng() % 30)) + 1;
  }
}

using Convert = bool (*)(const ClockMap::Segment&, int64_t, const EventBatch&,
                         int64_t*, int64_t*);
constexpr Convert kConverts[] = {ConvertTimes, ConvertTimesPortably};

TEST(EventTimesTest, ToTheNanosecondWhatTheClockMapGives) {
  std::mt19937_64 rng(5);
  for (int round = 0; round < 2000; ++round) {
    const ClockMap::Segment segment = RandomSegment(rng);
    EventBatch batch;
    Fill(rng, segment, batch);
    const auto offset = static_cast<int64_t>(rng() >> 8);
    for (const Convert convert : kConverts) {
      int64_t start[EventBatch::kRows];
      int64_t dur[EventBatch::kRows];
      ASSERT_TRUE(convert(segment, offset, batch, start, dur));
      for (uint32_t i = 0; i < batch.count; ++i) {
        const uint64_t from = batch.base + batch.from[i];
        const uint64_t to = from + batch.dur[i] - 1;
        ASSERT_EQ(start[i], segment.At(from) + offset) << round << " " << i;
        ASSERT_EQ(dur[i], segment.At(to) - segment.At(from)) << round;
      }
    }
  }
}

// Whichever event it is, in a vector or behind the last one.
TEST(EventTimesTest, OneEventThatIsNotPlainShows) {
  std::mt19937_64 rng(6);
  ClockMap::Segment segment;
  segment.tick = 1000;
  segment.span = 1'000'000;
  segment.fraction = uint64_t{1} << 63;
  for (int round = 0; round < 400; ++round) {
    EventBatch batch;
    batch.base = 1000;
    batch.count = static_cast<uint32_t>(1 + rng() % 40);
    for (uint32_t i = 0; i < batch.count; ++i) {
      batch.from[i] = i * 10;
      batch.dur[i] = 6;
    }
    const uint32_t at = static_cast<uint32_t>(rng() % batch.count);
    const uint32_t odd[] = {0, STEPSCOPE_DUR_INSTANT, STEPSCOPE_DUR_LIMIT + 1,
                            1'000'000 - at * 10 + 1};
    for (const Convert convert : kConverts) {
      int64_t start[EventBatch::kRows];
      int64_t dur[EventBatch::kRows];
      EXPECT_TRUE(convert(segment, 0, batch, start, dur));
      for (const uint32_t bad : odd) {
        const uint32_t good = std::exchange(batch.dur[at], bad);
        EXPECT_FALSE(convert(segment, 0, batch, start, dur)) << bad;
        batch.dur[at] = good;
      }
      // The last tick of the segment.
      batch.dur[at] = 1'000'000 - at * 10;
      EXPECT_TRUE(convert(segment, 0, batch, start, dur));
      batch.dur[at] = 6;
    }
  }
}

TEST(EventTimesTest, BatchOutsideOfTheSegment) {
  ClockMap::Segment segment;
  segment.tick = 1000;
  segment.span = 500;
  EventBatch batch;
  batch.count = 1;
  batch.from[0] = 0;
  batch.dur[0] = 1;
  int64_t start = 0;
  int64_t dur = 0;
  for (const Convert convert : kConverts) {
    for (const uint64_t base : {uint64_t{999}, uint64_t{1500}}) {
      batch.base = base;
      EXPECT_FALSE(convert(segment, 0, batch, &start, &dur)) << base;
    }
    batch.base = 1499;
    EXPECT_TRUE(convert(segment, 0, batch, &start, &dur));
    EXPECT_FALSE(convert({}, 0, batch, &start, &dur));
  }
}

}  // namespace
}  // namespace stepscope::capture
