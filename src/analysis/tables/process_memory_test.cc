// SPDX-License-Identifier: Apache-2.0
#include "analysis/tables/process_memory.h"

#include <gtest/gtest.h>
#include <stepscope/c.h>

#include <functional>
#include <string>

#include "trace/build/trace_builder.h"

namespace stepscope {
namespace {

constexpr int64_t kMb = 1 << 20;

// The counter at `steps` points of time, 1 us apart; steps of `step_ns`, if
// that is not 0.
std::vector<MemoryPlace> Measure(int steps,
                                 const std::function<double(int)>& bytes,
                                 const char* name = "process memory",
                                 int64_t step_ns = 0) {
  TraceBuilder builder;
  Track track;
  track.process = builder.AddProcess({});
  if (step_ns > 0) {
    track.id = 1;
    EventSpec step;
    step.track = builder.AddTrack(track);
    step.type = STEPSCOPE_PROFILE_STEP;
    step.dur_ns = step_ns;
    for (; step.start_ns < 1000 * steps; step.start_ns += step_ns) {
      step.name = builder.Intern("ProfileStep#" +
                                 std::to_string(step.start_ns / step_ns));
      builder.AddEvent(step);
    }
  }
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
  const auto trace = *builder.Finish();
  const EventTree tree(*trace);
  return ComputeProcessMemory(tree, StepTable(tree));
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

TEST(ProcessMemoryTest, SamplesBetweenSteps) {
  const auto grows = [](int i) { return 500e6 + 4.0 * kMb * i; };
  // Ten samples a step, and ten steps a sample.
  for (const int64_t step_ns : {10'000, 100}) {
    const auto places = Measure(200, grows, "process memory", step_ns);
    ASSERT_EQ(places[0].life.leaks.size(), 1u) << step_ns;
    const LeakRow& leak = places[0].life.leaks[0];
    EXPECT_EQ(leak.bytes / static_cast<int64_t>(leak.steps),
              4 * kMb * step_ns / 1000)
        << step_ns;
  }
  // Within a step it comes and goes.
  EXPECT_TRUE(Measure(
                  200, [](int i) { return 500e6 + 4.0 * kMb * (i % 10); },
                  "process memory", 10'000)[0]
                  .life.leaks.empty());
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
