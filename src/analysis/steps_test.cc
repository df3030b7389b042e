// SPDX-License-Identifier: Apache-2.0
#include "analysis/steps.h"

#include <gtest/gtest.h>
#include <stepscope/c.h>

#include <string_view>
#include <vector>

#include "trace/build/trace_builder.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope {
namespace {

// Two steps; the second never ended, in a thread that lost `dropped` events.
size_t StepsWithAnOpenOne(uint64_t dropped) {
  TraceBuilder builder;
  Track track;
  track.process = builder.AddProcess({});
  const uint32_t thread = builder.AddTrack(track);
  ThreadReport report;
  report.track = thread;
  report.recorded = 2;
  if (dropped > 0) report.dropped = {{"io", dropped}};
  for (const int64_t start : {0, 10}) {
    EventSpec step;
    step.track = thread;
    step.start_ns = start;
    step.dur_ns = start == 0 ? 10 : 1000;
    step.name = builder.Intern("ProfileStep");
    step.type = STEPSCOPE_PROFILE_STEP;
    if (start != 0) step.flags = kEventOpenAtEnd;
    builder.AddEvent(step);
  }
  builder.AddThread(report);
  const auto trace = builder.Finish();
  if (!trace) return SIZE_MAX;
  const EventTree tree(**trace);
  return StepTable(tree).steps().size();
}

TEST(StepTableTest, AStepWhoseEndWasLostIsNone) {
  EXPECT_EQ(StepsWithAnOpenOne(0), 2u);  // the process was killed in it
  EXPECT_EQ(StepsWithAnOpenOne(7), 1u);
}

TEST(StepTableTest, IndexIsInTheNameOrInTheArgument) {
  TraceBuilder builder;
  Track track;
  track.process = builder.AddProcess({});
  const uint32_t thread = builder.AddTrack(track);
  const auto add = [&](int64_t start, std::string_view name) {
    EventSpec step;
    step.track = thread;
    step.start_ns = start;
    step.dur_ns = 10;
    step.name = builder.Intern(name);
    step.type = STEPSCOPE_PROFILE_STEP;
    return builder.AddEvent(step);
  };
  add(0, "ProfileStep#7");
  Arg arg;
  arg.row = add(10, "ProfileStep");  // what the Profiler writes after 32,768
  arg.key = builder.Intern("step");
  arg.int_value = 40000;
  builder.AddArg(arg);
  add(20, "ProfileStep");  // says nothing: counted
  const auto trace = builder.Finish();
  ASSERT_TRUE(trace) << trace.error().message;
  const EventTree tree(**trace);
  const StepTable table(tree);
  std::vector<int64_t> indices;
  for (const StepInterval& step : table.steps()) indices.push_back(step.index);
  EXPECT_EQ(indices, (std::vector<int64_t>{7, 40000, 2}));
}

TEST(StepTableTest, WhatLiesBeforeARestedStepIsInNone) {
  const auto trace = TraceFromText(R"(
    thread 1 main
    0..100 ProfileStep#0 ProfileStep
    100..190 ProfileStep#1 ProfileStep
    200..500 Evaluation
    500..600 ProfileStep#2 ProfileStep rested=1
  )");
  const EventTree tree(*trace);
  const StepTable table(tree);
  std::vector<int64_t> periods;
  for (const StepInterval& step : table.steps())
    periods.push_back(step.period_ns);
  EXPECT_EQ(periods, (std::vector<int64_t>{100, 90, 100}));
}

TEST(StepTableTest, AClosureIsNotTheOptimizersOwnWork) {
  const auto trace = TraceFromText(R"(
    thread 1 main
    0..100 ProfileStep#0 ProfileStep
    10..90 Optimization Optimization
    20..40 Forward Forward
    25..30 Forward Forward
    45..70 Backward Backward
    50..60 Optimization Optimization
    100..200 ProfileStep#1 ProfileStep
    110..120 Forward Forward
    130..140 Optimization Optimization
  )");
  const EventTree tree(*trace);
  const StepTable table(tree);
  std::vector<std::vector<int64_t>> stages;
  for (const StepInterval& stage : table.stages())
    stages.push_back({stage.type, stage.range.begin, stage.range.end});
  EXPECT_EQ(stages, (std::vector<std::vector<int64_t>>{
                        {STEPSCOPE_FORWARD, 20, 40},
                        {STEPSCOPE_BACKWARD, 45, 70},
                        {STEPSCOPE_OPTIMIZATION, 70, 90},
                        {STEPSCOPE_FORWARD, 110, 120},
                        {STEPSCOPE_OPTIMIZATION, 130, 140}}));
}

TEST(StepTableTest, DeviceRangeIsOfTheWorkThatWasLaunched) {
  const auto trace = TraceFromText(R"(
    thread 1 main
      100..200 ProfileStep#0 ProfileStep
        110..115 launch CudaRuntime correlation=1
      200..300 ProfileStep#1 ProfileStep
      300..400 ProfileStep#2 ProfileStep
    thread 2 autograd
      150..155 launch CudaRuntime correlation=2
    stream 7 GPU:0
      120..140 a Kernel correlation=1
      380..420 b Kernel correlation=2
      430..440 lost Kernel)");
  const EventTree tree(*trace);
  const StepTable table(tree);
  ASSERT_EQ(table.steps().size(), 3u);
  EXPECT_TRUE(table.steps()[0].has_device());
  EXPECT_EQ(table.steps()[0].device, (Interval{120, 420}));
  EXPECT_FALSE(table.steps()[1].has_device());
  EXPECT_EQ(table.steps()[1].device, (Interval{0, 0}));
  EXPECT_EQ(table.steps()[0].period_ns, 100);
  EXPECT_EQ(table.steps()[2].period_ns, 100);
  EXPECT_EQ(table.steps_of(0).size(), 3u);
  EXPECT_TRUE(table.steps_of(1).empty());
}

TEST(StepTableTest, DeviceRangeHasTheRecordersMarks) {
  const auto trace = TraceFromText(R"(
    thread 1 main
      100..200 ProfilerStep#4 ProfileStep
        110..115 launch CudaRuntime correlation=1
      200..300 ProfilerStep#5 ProfileStep
    stream 7 GPU:0
      120..140 a Kernel correlation=1
      210..260 b Kernel
    stream 8 GPU:0
      119..130 ProfilerStep#4
      205..290 ProfilerStep#5)");
  const EventTree tree(*trace);
  const StepTable table(tree);
  ASSERT_EQ(table.steps().size(), 2u);
  EXPECT_EQ(table.steps()[0].device, (Interval{119, 140}));
  EXPECT_EQ(table.steps()[1].device, (Interval{205, 290}));
}

TEST(StepTableTest, ReplaysOfAGraphArePacedByTheDevice) {
  const auto trace = TraceFromText(R"(
    thread 1 main
      0..7 ProfileStep#0 ProfileStep
        1..2 cudaGraphLaunch CudaRuntime correlation=1
      8..15 ProfileStep#1 ProfileStep
        9..10 cudaGraphLaunch CudaRuntime correlation=2
      16..23 ProfileStep#2 ProfileStep
        17..18 cudaGraphLaunch CudaRuntime correlation=3
    stream 7 GPU:0
      3..94 a Kernel correlation=1
      97..188 b Kernel correlation=2
      191..282 c Kernel correlation=3)");
  const EventTree tree(*trace);
  const StepTable table(tree);
  EXPECT_TRUE(table.device_paces(0));
  std::vector<int64_t> periods;
  for (const StepInterval& step : table.steps()) {
    periods.push_back(step.period_ns);
    EXPECT_FALSE(step.warmup);
  }
  EXPECT_EQ(periods, (std::vector<int64_t>{94, 94, 91}));
}

TEST(StepTableTest, WarmUpIsMarked) {
  const auto trace = TraceFromText(R"(
    thread 1 main
      0..90 ProfileStep#0 ProfileStep
      90..100 ProfileStep#1 ProfileStep
      100..110 ProfileStep#2 ProfileStep
      110..120 ProfileStep#3 ProfileStep)");
  const EventTree tree(*trace);
  EXPECT_TRUE(StepTable(tree).steps()[0].warmup);
  EXPECT_FALSE(StepTable(tree).steps()[1].warmup);
  EXPECT_FALSE(StepTable(tree, false).steps()[0].warmup);
}

TEST(StepTableTest, AStepThatTheUserChoseIsNoWarmUp) {
  const auto trace = TraceFromText(R"(
    process 1 first_chosen_step=5
    thread 1 main
      0..90 ProfileStep#5 ProfileStep
      90..100 ProfileStep#6 ProfileStep
      100..110 ProfileStep#7 ProfileStep
      110..120 ProfileStep#8 ProfileStep)");
  const EventTree tree(*trace);
  EXPECT_FALSE(StepTable(tree).steps()[0].warmup);
}

}  // namespace
}  // namespace stepscope
