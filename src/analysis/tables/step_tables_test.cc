// SPDX-License-Identifier: Apache-2.0
//
// Waterfall, idle time, launches, outliers and the life of memory, on traces
// small enough to compute by hand.
#include <gtest/gtest.h>

#include <string>

#include "analysis/summary.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope {
namespace {

Summary Everything(const std::shared_ptr<const Trace>& trace) {
  SummaryOptions options;
  options.views = kAllViews;
  return ComputeSummary(*trace, options);
}

// One step that holds each part once.
constexpr const char* kAllParts = R"(
thread 1 main
  0..100 ProfileStep#0 ProfileStep
    0..10 next Dataloader
    12..20 net Forward
      13..15 cudaLaunchKernel CudaRuntime correlation=1
    40..50 cudaStreamSynchronize CudaRuntime
    60..70 gloo:all_reduce Communication
stream 7 GPU:0
  18..30 gemm Kernel correlation=1
  28..34 MemcpyDtoH Memcpy
  80..90 ncclAllReduce Kernel
)";

// Two calls of a name at once on one thread, inside a third.
TEST(OperatorSharesTest, CallsThatOverlapHaveNoShareAboveOne) {
  const auto trace = TraceFromText(R"(
    thread 1 main
      0..100 around Operator
        0..90 a Operator
        10..100 a Operator)");
  const Summary summary = Everything(trace);
  ASSERT_EQ(summary.operators.size(), 1u);
  for (const OperatorRow& row : summary.operators[0].rows) {
    const int64_t total = row.name == "a" ? 180 : 100;
    EXPECT_EQ(row.cpu.total_ns, total) << row.name;
    EXPECT_DOUBLE_EQ(row.cpu.ratio, static_cast<double>(total) / 180);
  }
}

TEST(WaterfallTest, ProcessesWithoutEventsHaveNoWindow) {
  const auto trace = TraceFromText(R"(
    process 1
    thread 1 main
      0..100 op Operator
    process 2 name=sshd
    thread 2 sshd
    process 3 name=init)");
  const Summary summary = Everything(trace);
  EXPECT_EQ(summary.waterfall.processes, 1u);
  EXPECT_EQ(summary.waterfall.step_ns, 100);
}

TEST(WaterfallTest, TimeBeforeTheFirstEventIsNamed) {
  const auto trace = TraceFromText(R"(
    thread 1 main
      60..70 op Operator
    window 0 100)");
  const Waterfall waterfall = Everything(trace).waterfall;
  EXPECT_EQ(waterfall.before_events_ns, 60);
  EXPECT_EQ(waterfall.part(StepPart::kUnexplained), 90);
  EXPECT_EQ(Everything(TraceFromText(kAllParts)).waterfall.before_events_ns, 0);
}

TEST(WaterfallTest, PartsAddUpToTheStep) {
  const auto trace = TraceFromText(kAllParts);
  const Summary summary = Everything(trace);
  const Waterfall& waterfall = summary.waterfall;
  EXPECT_EQ(waterfall.step_ns, 100);
  EXPECT_EQ(waterfall.part(StepPart::kKernel), 12);
  EXPECT_EQ(waterfall.part(StepPart::kCopy), 4);            // 30..34
  EXPECT_EQ(waterfall.part(StepPart::kCommunication), 20);  // both kinds
  EXPECT_EQ(waterfall.part(StepPart::kLaunchGap), 5);       // 13..18
  EXPECT_EQ(waterfall.part(StepPart::kInputStall), 10);
  EXPECT_EQ(waterfall.part(StepPart::kHostSync), 10);
  EXPECT_EQ(waterfall.part(StepPart::kOtherCpu), 1);  // 12..13
  EXPECT_EQ(waterfall.part(StepPart::kUnexplained), 38);
  EXPECT_DOUBLE_EQ(waterfall.coverage(), 0.62);
}

// Without a device the host computes, and hides what it exchanges meanwhile;
// an operator hides nothing that it waits for itself.
TEST(WaterfallTest, OperatorsHideCommunicationWhereThereIsNoDevice) {
  const auto trace = TraceFromText(R"(
    thread 1 main
      0..100 ProfileStep#0 ProfileStep
        10..40 aten::mm Operator
        70..90 backward Operator
          75..85 c10d::allreduce_ Operator
    thread 2 gloo
      30..60 gloo:all_reduce Communication)");
  const Waterfall waterfall = Everything(trace).waterfall;
  EXPECT_EQ(waterfall.part(StepPart::kCommunication), 20 + 10);
  EXPECT_EQ(waterfall.part(StepPart::kOtherCpu), 30 + 10);
  EXPECT_EQ(waterfall.part(StepPart::kUnexplained), 30);
}

TEST(NotesTest, EventsThatNoTableHasAreCounted) {
  const auto says = [](const char* text, std::string_view what) {
    for (const std::string& note : Everything(TraceFromText(text)).notes)
      if (note.find(what) != note.npos) return true;
    return false;
  };
  EXPECT_TRUE(says("thread 1\n0..9 op\nasync 1 loop\n0..9 a\n5..9 b\n",
                   "2 of 3 events are on no thread (asynchronous)"));
  EXPECT_FALSE(says("thread 1\n0..9 op\n", "on no thread"));
  // Rows beside the streams repeat what is on these.
  EXPECT_FALSE(says("stream 7 GPU:0\n0..9 k Kernel\nasync 1 XLA\n0..9 a\n",
                    "on no thread"));
}

TEST(IdleTest, CausesAddUpToTheGaps) {
  const auto trace = TraceFromText(kAllParts);
  const Summary summary = Everything(trace);
  ASSERT_EQ(summary.idle.devices.size(), 1u);
  const IdleDevice& device = summary.idle.devices[0];
  EXPECT_EQ(device.name, "GPU0");
  EXPECT_EQ(device.idle_ns, 100 - 26);
  int64_t sum = 0;
  for (const IdleRow& row : device.rows) sum += row.time_ns;
  EXPECT_EQ(sum, device.idle_ns);
  EXPECT_EQ(device.rows[3].cause, StepPart::kHostSync);
  EXPECT_EQ(device.rows[3].time_ns, 10);
  EXPECT_EQ(device.rows[3].longest_at_ns, 40);
}

TEST(WaterfallTest, TakesEachDeviceOfItsProcessOnly) {
  const auto trace = TraceFromText(R"(
process 1
thread 1
  0..100 ProfileStep#0 ProfileStep
stream 7 GPU:0
  0..40 k Kernel
stream 7 GPU:1
  20..60 k Kernel
process 2
thread 1
  0..100 ProfileStep#0 ProfileStep
stream 7 GPU:0
  90..100 k Kernel
)");
  const Summary summary = Everything(trace);
  ASSERT_EQ(summary.waterfall.steps.size(), 2u);
  EXPECT_EQ(summary.waterfall.steps[0].part_ns[0], 60);
  EXPECT_EQ(summary.waterfall.steps[1].part_ns[0], 10);
  ASSERT_EQ(summary.idle.devices.size(), 3u);
  EXPECT_EQ(summary.idle.devices[0].idle_ns, 60);
  EXPECT_EQ(summary.idle.devices[1].idle_ns, 60);
  EXPECT_EQ(summary.idle.devices[2].idle_ns, 90);
}

TEST(WaterfallTest, WhatGoesOnAcrossStepsCountsInBoth) {
  const auto trace = TraceFromText(R"(
thread 1
  0..100 ProfileStep#0 ProfileStep
  110..200 ProfileStep#1 ProfileStep
  50..150 long Operator
stream 7 GPU:0
  95..120 k Kernel
)");
  const Summary summary = Everything(trace);
  ASSERT_EQ(summary.waterfall.steps.size(), 2u);
  EXPECT_EQ(summary.waterfall.steps[0].part_ns[0], 5);
  EXPECT_EQ(summary.waterfall.steps[1].part_ns[0], 10);
  EXPECT_EQ(summary.waterfall.steps[1].part_ns[6], 30);
}

TEST(WaterfallTest, ABackgroundLoaderHoldsNobodyUp) {
  const auto trace = TraceFromText(R"(
thread 1 main
  0..100 ProfileStep#0 ProfileStep
    0..10 next Dataloader
thread 2 loader
  0..90 load Dataloader
    5..80 decode Operator
)");
  const Summary summary = Everything(trace);
  EXPECT_EQ(summary.waterfall.part(StepPart::kInputStall), 10);
  EXPECT_EQ(summary.waterfall.part(StepPart::kOtherCpu), 0);
  EXPECT_EQ(summary.waterfall.part(StepPart::kUnexplained), 90);
}

TEST(LaunchTest, CountsDelaysAndEmptyStreams) {
  const auto trace = TraceFromText(R"(
thread 1
  0..10 cudaLaunchKernel CudaRuntime correlation=1
  20..30 cudaLaunchKernel CudaRuntime correlation=2
  50..60 cudaLaunchKernel CudaRuntime correlation=3
  70..80 cudaLaunchKernel CudaRuntime correlation=4
stream 7 GPU:0
  15..40 a Kernel correlation=1
  40..45 b Kernel correlation=2
  62..66 c Kernel correlation=3
  90..95 d Kernel
)");
  const Summary summary = Everything(trace);
  const LaunchStats& launch = summary.launch;
  EXPECT_EQ(launch.device_events, 4u);
  EXPECT_EQ(launch.without_launch, 1u);
  EXPECT_EQ(launch.launches_without_work, 1u);
  EXPECT_EQ(launch.queue_delay.count, 3u);
  EXPECT_EQ(launch.queue_delay.time.total_ns, 5 + 10 + 2);
  EXPECT_EQ(launch.queue_delay.spread.p50_ns, 5);
  EXPECT_EQ(launch.followers, 2u);
  EXPECT_EQ(launch.launch_bound, 1u);  // c: the stream was empty since 45
  EXPECT_EQ(launch.short_kernels, 2u);
  EXPECT_EQ(launch.early, 0u);
}

TEST(LaunchTest, AGraphIsOneLaunchOfManyKernels) {
  const auto trace = TraceFromText(R"(
thread 1
  0..20 cudaGraphLaunch CudaRuntime correlation=1
stream 7 GPU:0
  25..37 a Kernel correlation=1
  40..52 b Kernel correlation=1
)");
  const Summary summary = Everything(trace);
  EXPECT_EQ(summary.launch.call.count, 1u);
  EXPECT_EQ(summary.launch.short_kernels, 0u);  // 24 of work for a call of 20
}

TEST(OutliersTest, NamesTheStepAndItsPart) {
  std::string text = "thread 1\n";
  for (int i = 0; i < 10; ++i) {
    const int start = i * 1000;
    const int length = i == 4 ? 500 : 100 + i % 2;
    text += std::to_string(start) + ".." + std::to_string(start + length) +
            " ProfileStep#" + std::to_string(i) + " ProfileStep\n";
    text += std::to_string(start) + ".." +
            std::to_string(start + (i == 4 ? 450 : 50)) + " next Dataloader\n";
  }
  const auto trace = TraceFromText(text);
  const Summary summary = Everything(trace);
  ASSERT_EQ(summary.outliers.size(), 1u);
  EXPECT_EQ(summary.outliers[0].index, 4);
  EXPECT_EQ(summary.outliers[0].excess_ns, 399);  // of a median of 101
  EXPECT_EQ(summary.outliers[0].cause, StepPart::kInputStall);
  EXPECT_EQ(summary.outliers[0].cause_excess_ns, 400);
}

// Five steps; "keep" never frees, "reuse" does, "setup" allocates once.
TEST(MemoryLifeTest, TellsLeaksFromWhatIsUsed) {
  std::string text = "thread 1\n";
  std::string memory;
  for (int i = 0; i < 5; ++i) {
    const std::string t = std::to_string(i * 100);
    const auto at = [&](int offset) {
      return std::to_string(i * 100 + offset);
    };
    text += t + ".." + at(90) + " ProfileStep#" + std::to_string(i) +
            " ProfileStep\n" + at(10) + ".." + at(20) + " keep Operator\n" +
            at(30) + ".." + at(60) + " reuse Operator\n";
    memory += "memory " + at(15) + " +10 Place(gpu:0) 0x" +
              std::to_string(1000 + i) + "\n";
    memory += "memory " + at(35) + " +500 Place(gpu:0) 0x5\n";
    memory += "memory " + at(55) + " -500 Place(gpu:0) 0x5\n";
  }
  text += "0..5 setup Operator\nmemory 2 +70 Place(gpu:0) 0x7\n";
  const auto trace = TraceFromText(text + memory);
  const Summary summary = Everything(trace);
  ASSERT_EQ(summary.memory.size(), 1u);
  const MemoryLife& life = summary.memory[0].life;
  ASSERT_EQ(life.leaks.size(), 1u);
  EXPECT_EQ(life.leaks[0].name, "keep");
  EXPECT_EQ(life.leaks[0].bytes, 30);  // of the three steps between
  EXPECT_EQ(life.leaks[0].steps, 3u);
  EXPECT_EQ(life.peak_at_ns, 435);
  ASSERT_EQ(life.live_at_peak.size(), 3u);
  EXPECT_EQ(life.live_at_peak[0].name, "reuse");
  EXPECT_EQ(life.live_at_peak[0].bytes, 500);
  EXPECT_EQ(life.live_at_peak[1].name, "setup");
  EXPECT_EQ(life.live_at_peak[2].bytes, 50);
  EXPECT_EQ(life.before_bytes, 0);
}

TEST(MemoryLifeTest, SaysWhatWasThereBefore) {
  const auto trace = TraceFromText(
      "thread 1\n0..9 op Operator\n"
      "memory 3 +10 Place(gpu:0) 0x1 total=110 reserved=200\n");
  const Summary summary = Everything(trace);
  EXPECT_EQ(summary.memory[0].life.before_bytes, 100);
}

}  // namespace
}  // namespace stepscope
