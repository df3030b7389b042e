// SPDX-License-Identifier: Apache-2.0
//
// A large trace is drawn before its pyramid is whole, and from then on as one
// that was built at once.
#include "server/files/open_trace.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "server/timeline/tiles.h"
#include "trace/build/trace_builder.h"

namespace stepscope::server {
namespace {

constexpr Row kEach = 1;  // every trace is built in two steps

std::shared_ptr<const Trace> SomeTrace(int64_t events) {
  TraceBuilder builder;
  builder.AddProcess({});
  builder.AddTrack({});
  for (int64_t i = 0; i < events; ++i) {
    EventSpec event;
    event.start_ns = i * 1000;
    event.dur_ns = 200 + (i * 7919) % 700;
    event.name = builder.Intern("n" + std::to_string(i % 13));
    builder.AddEvent(event);
  }
  auto trace = builder.Finish();
  EXPECT_TRUE(trace);
  return *trace;
}

std::string TilesOf(const OpenTrace& open, int k) {
  const auto request = ParseTilesRequest(std::to_string(k), "0", "3", "0", 1);
  const auto answer = TilesAnswer(open, *request);
  EXPECT_TRUE(answer);
  return answer ? *answer : "";
}

// Events that the boxes of a track stand for; each lies in one tile.
uint64_t EventsIn(const OpenTrace& open, int k) {
  uint64_t events = 0;
  std::vector<TilePart> parts = open.view().tracks[0].parts;
  open.Tiles(k, 0, 4, parts, [&](const TileAnswer& answer) {
    for (size_t tile = 0; tile < 4; ++tile)
      for (const TileRecord& record : answer.Tile(tile)) events += record.count;
  });
  return events;
}

TEST(OpenTraceTest, IsDrawnFromTheFirstMomentAndTheSameInTheEnd) {
  const auto trace = SomeTrace(300'000);
  const OpenTrace at_once(trace);
  const OpenTrace in_steps(trace, kEach);
  EXPECT_EQ(in_steps.span_ns(), at_once.span_ns());
  EXPECT_EQ(in_steps.view().tracks.size(), at_once.view().tracks.size());
  EXPECT_EQ(in_steps.view().tracks[0].depth, at_once.view().tracks[0].depth);
  // Whichever pyramid is there by now.
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(EventsIn(in_steps, 17), trace->size());
    EXPECT_EQ(EventsIn(in_steps, 18), trace->size());
  }
  const CancelToken go_on;
  ASSERT_TRUE(in_steps.WaitForWholePyramid(go_on));
  EXPECT_EQ(in_steps.pyramid().bytes(), at_once.pyramid().bytes());
  for (int k = 4; k < 24; ++k)
    EXPECT_TRUE(TilesOf(in_steps, k) == TilesOf(at_once, k)) << k;
}

TEST(OpenTraceTest, IsClosedWhileItIsBuilt) {
  const auto trace = SomeTrace(300'000);
  for (int i = 0; i < 5; ++i) {
    const OpenTrace open(trace, kEach);
    EXPECT_FALSE(TilesOf(open, 20).empty());
  }
  const OpenTrace open(trace, kEach);
  CancelToken cancelled;
  cancelled.Cancel();
  (void)open.WaitForWholePyramid(cancelled);  // returns
}

TEST(OpenTraceTest, ManyAskWhileItIsBuilt) {
  const auto trace = SomeTrace(300'000);
  const OpenTrace open(trace, kEach);
  const CancelToken go_on;
  std::atomic<uint64_t> wrong{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&] {
      for (int n = 0; n < 30; ++n)
        wrong += EventsIn(open, 17) != trace->size() ? 1 : 0;
    });
  EXPECT_TRUE(open.WaitForWholePyramid(go_on));
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0u);
}

}  // namespace
}  // namespace stepscope::server
