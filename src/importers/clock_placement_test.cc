// SPDX-License-Identifier: Apache-2.0
#include "importers/clock_placement.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace stepscope {
namespace {

constexpr int64_t kEpoch = 1'700'000'000'000'000'000;

// A file of one event.
std::unique_ptr<TraceBuilder> FileWith(int64_t epoch_ns, bool known,
                                       int64_t start_ns) {
  auto builder = std::make_unique<TraceBuilder>();
  builder->AlignEpoch(epoch_ns, known);
  builder->AddProcess({});
  builder->AddTrack({});
  EventSpec event;
  event.start_ns = start_ns;
  event.dur_ns = 10;
  builder->AddEvent(event);
  return builder;
}

std::shared_ptr<const Trace> Together(
    std::vector<std::unique_ptr<TraceBuilder>> files) {
  std::vector<FilePart> parts;
  const char* const names[] = {"a", "b", "c"};
  for (size_t i = 0; i < files.size(); ++i)
    parts.push_back({names[i], files[i].get()});
  PlaceUnknownClocks(parts);
  TraceBuilder all;
  for (auto& file : files) all.Merge(std::move(*file));
  const auto trace = all.Finish();
  EXPECT_TRUE(trace);
  return *trace;
}

TEST(ClockPlacement, WhatStatesNoTimeBeginsWithTheFirstThatDoes) {
  std::vector<std::unique_ptr<TraceBuilder>> files;
  files.push_back(FileWith(0, false, 777));  // would be 1970
  files.push_back(FileWith(kEpoch, true, 500));
  files.push_back(FileWith(kEpoch + 1000, true, -700));
  const auto trace = Together(std::move(files));
  EXPECT_TRUE(trace->clock().epoch_known);
  ASSERT_EQ(trace->size(), 3u);
  EXPECT_EQ(trace->epoch_ns() + trace->start_ns()[0], kEpoch + 300);
  EXPECT_EQ(trace->epoch_ns() + trace->start_ns()[1], kEpoch + 500);
  EXPECT_EQ(trace->epoch_ns() + trace->start_ns()[2], kEpoch + 300);
  EXPECT_EQ(trace->end_ns() - trace->begin_ns(), 210);
  ASSERT_EQ(trace->notes().size(), 1u);
  EXPECT_EQ(trace->notes()[0],
            "a: states no absolute time; laid where the first of the other "
            "files begins");
}

TEST(ClockPlacement, WhereNobodyKnowsNothingMoves) {
  std::vector<std::unique_ptr<TraceBuilder>> files;
  files.push_back(FileWith(0, false, 777));
  files.push_back(FileWith(5, false, 500));
  const auto trace = Together(std::move(files));
  EXPECT_FALSE(trace->clock().epoch_known);
  EXPECT_EQ(trace->start_ns()[0], 777);
  EXPECT_EQ(trace->start_ns()[1], 500);
  EXPECT_TRUE(trace->notes().empty());
}

TEST(ClockPlacement, TimesThatOverflowPlaceNothing) {
  const auto absurd = FileWith(INT64_MAX, true, 5);
  const auto unknown = FileWith(0, false, 3);
  const FilePart parts[] = {{"a", absurd.get()}, {"b", unknown.get()}};
  PlaceUnknownClocks(parts);
  EXPECT_FALSE(unknown->epoch_known());
}

}  // namespace
}  // namespace stepscope
