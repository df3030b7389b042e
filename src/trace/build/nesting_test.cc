// SPDX-License-Identifier: Apache-2.0
#include "trace/build/nesting.h"

#include <gtest/gtest.h>

#include <random>

#include "trace/build/trace_builder.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope {
namespace {

TEST(NestingTest, ParentDepthAndSelf) {
  const auto trace = TraceFromText(
      "0..100 step\n"
      "  10..40 a\n"
      "    20..30 b\n"
      "  40..60 c\n"
      "100..120 next\n");
  const Nesting& n = trace->nesting();
  const std::vector<Row> parent(n.parent.view().begin(), n.parent.view().end());
  EXPECT_EQ(parent, (std::vector<Row>{kNoRow, 0, 1, 0, kNoRow}));
  const std::vector<uint32_t> depth(n.depth.view().begin(),
                                    n.depth.view().end());
  EXPECT_EQ(depth, (std::vector<uint32_t>{0, 1, 2, 1, 0}));
  const std::vector<int64_t> self(trace->self_ns().begin(),
                                  trace->self_ns().end());
  EXPECT_EQ(self, (std::vector<int64_t>{50, 20, 10, 20, 20}));
}

TEST(NestingTest, WhatHasNoDurationIsNoParent) {
  const auto trace = TraceFromText(
      "0..9 outer\n"
      "3..3 mark instant\n"
      "3..3 empty\n"
      "9..9 behind\n");
  const Nesting& n = trace->nesting();
  EXPECT_EQ(n.parent[1], 0u);
  EXPECT_EQ(n.parent[2], 0u);
  EXPECT_EQ(n.parent[3], kNoRow);
}

TEST(NestingTest, AMillionDeep) {
  TraceBuilder b;
  b.AddProcess({});
  b.AddTrack({});
  constexpr int64_t kDepth = 1'000'000;
  for (int64_t i = 0; i < kDepth; ++i)
    b.AddEvent({0, i, 2 * (kDepth - i), {}, 0, 0});
  const auto trace = b.Finish();
  ASSERT_TRUE(trace);
  const Nesting& n = (*trace)->nesting();
  EXPECT_EQ(n.depth[kDepth - 1], kDepth - 1);
  EXPECT_EQ(n.parent[kDepth - 1], static_cast<Row>(kDepth - 2));
  EXPECT_EQ((*trace)->self_ns()[0], 2);
}

// Threads take rows apart, where they please: the same as in one go.
TEST(NestingTest, ManyRowsAsOneByOne) {
  std::mt19937_64 random(1);
  TraceBuilder b;
  b.AddProcess({});
  for (int64_t id = 0; id < 2; ++id) {
    Track track;
    track.id = id;
    b.AddTrack(track);
  }
  for (uint32_t track = 0; track < 2; ++track) {
    // Now and then something long, so that events reach over many chunks; on
    // the second track more of it than a chunk may find open.
    const int64_t deep = track == 0 ? 3 : 5000;
    constexpr int64_t kRows = 900'000;
    for (int64_t i = 0; i < deep; ++i)
      b.AddEvent({track, i, 100 * kRows - 2 * i, {}, 0, 0});
    for (int64_t i = 0, time = deep; i < kRows; ++i) {
      const auto dur = static_cast<int64_t>(random() % 60);
      b.AddEvent({track, time, 90, {}, 0, 0});
      if (dur > 20) b.AddEvent({track, time, dur, {}, 0, 0});
      if (i % 100'000 == 0) b.AddEvent({track, time, 0, {}, 0, 0});
      time += 90;
    }
  }
  const auto finished = b.Finish();
  ASSERT_TRUE(finished);
  const Trace& trace = **finished;
  std::vector<Row> open;
  uint64_t wrong = 0;
  for (const Track& track : trace.tracks()) {
    open.clear();
    for (Row row = track.first; row < track.last; ++row) {
      while (!open.empty() &&
             trace.end_ns(open.back()) <= trace.start_ns()[row])
        open.pop_back();
      const Row parent = open.empty() ? kNoRow : open.back();
      wrong += trace.nesting().parent[row] != parent;
      wrong += trace.nesting().depth[row] != open.size();
      open.push_back(row);
    }
  }
  EXPECT_EQ(wrong, 0u);
  int64_t self = 0;
  int64_t outermost = 0;
  for (Row row = 0; row < trace.size(); ++row) {
    self += trace.self_ns()[row];
    if (trace.nesting().depth[row] == 0) outermost += trace.dur_ns()[row];
  }
  EXPECT_EQ(self, outermost);
}

}  // namespace
}  // namespace stepscope
