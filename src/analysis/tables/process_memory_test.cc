// SPDX-License-Identifier: Apache-2.0
#include "analysis/tables/process_memory.h"

#include <gtest/gtest.h>

#include <functional>

#include "trace/build/trace_builder.h"

namespace stepscope {
namespace {

constexpr int64_t kMb = 1 << 20;

// The counter at `steps` steps.
std::vector<MemoryPlace> Measure(int steps,
                                 const std::function<double(int)>& bytes,
                                 const char* name = "process memory") {
  TraceBuilder builder;
  Track track;
  track.process = builder.AddProcess({});
  track.kind = TrackKind::kCounter;
  track.name = builder.Intern(name);
  const uint32_t counter = builder.AddTrack(track);
  for (int i = 0; i < steps; ++i) {
    CounterSample sample;
    sample.track = counter;
    sample.time_ns = 1000 * i;
    sample.value = bytes(i);
    builder.AddCounter(sample);
  }
  return ComputeProcessMemory(**builder.Finish());
}

TEST(ProcessMemoryTest, ALeakIsFound) {
  const auto places = Measure(20, [](int i) { return 500e6 + 4.0 * kMb * i; });
  ASSERT_EQ(places.size(), 1u);
  EXPECT_EQ(places[0].place, "host memory");
  EXPECT_EQ(places[0].peak_allocated_bytes, 500'000'000 + 19 * 4 * kMb);
  EXPECT_EQ(places[0].life.peak_at_ns, 19'000);
  ASSERT_EQ(places[0].rows.size(), 1u);
  EXPECT_EQ(places[0].rows[0].increase_bytes(), 19 * 4 * kMb);
  ASSERT_EQ(places[0].life.leaks.size(), 1u);
  EXPECT_EQ(places[0].life.leaks[0].steps, 17u);
  EXPECT_EQ(places[0].life.leaks[0].bytes, 17 * 4 * kMb);
}

TEST(ProcessMemoryTest, OneThatIsInterruptedToo) {
  EXPECT_EQ(Measure(20,
                    [](int i) {
                      return 500e6 + 4.0 * kMb * (i - (i == 10 ? 2 : 0));
                    })[0]
                .life.leaks.size(),
            1u);
}

TEST(ProcessMemoryTest, NoLeak) {
  const std::function<double(int)> kinds[] = {
      [](int) { return 500e6; },
      [](int i) { return i < 3 ? 100e6 * i : 300e6; },     // sets up
      [](int i) { return 500e6 + 4096.0 * i; },            // a page each
      [](int i) { return 500e6 + (i % 2) * 50e6; },        // to and fro
      [](int i) { return 500e6 + 10.0 * kMb * (i % 4); },  // a saw
      [](int i) { return 900e6 - 4.0 * kMb * i; },
  };
  for (const auto& bytes : kinds)
    EXPECT_TRUE(Measure(20, bytes)[0].life.leaks.empty());
  // Too few to tell.
  EXPECT_TRUE(
      Measure(6, [](int i) { return 4.0 * kMb * i; })[0].life.leaks.empty());
}

TEST(ProcessMemoryTest, OtherCountersAreNone) {
  EXPECT_TRUE(Measure(
                  5, [](int) { return 1.0; }, "loss")
                  .empty());
  EXPECT_TRUE(Measure(5, [](int) { return -1.0; }).empty());
}

}  // namespace
}  // namespace stepscope
