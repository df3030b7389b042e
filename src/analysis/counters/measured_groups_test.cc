// SPDX-License-Identifier: Apache-2.0
//
// Counters of a device beside kernels whose bytes and arithmetic are known.
#include "analysis/counters/measured_groups.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "analysis/counters/roofline.h"
#include "analysis/summary.h"
#include "trace/build/trace_builder.h"
#include "trace/device_counter.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope {
namespace {

using GroupLevel = MeasuredGroups::Level;

// Two steps. In each a product of 100 us that reads 100 MB, in the first also a
// copy of 50 us; a module is around both.
constexpr std::string_view kTwoMeasuredSteps = R"t(
  thread 1
    0..200000 ProfileStep#0 ProfileStep
      100..3000 "nn.Module: Net_0" PythonFunction
        200..1000 aten::mm Operator
          300..400 cudaLaunchKernel CudaRuntime correlation=1
        1200..2000 aten::copy_ Operator
          1300..1400 cudaMemcpyAsync CudaRuntime correlation=2
    200000..400000 ProfileStep#1 ProfileStep
      200200..201000 aten::mm Operator
        200300..200400 cudaLaunchKernel CudaRuntime correlation=3
  stream 7 GPU:0
    10000..110000 gemm Kernel correlation=1
    110000..160000 copy Memcpy correlation=2
    210000..310000 gemm Kernel correlation=3
  counter 0 "GPU 0: DRAM read (B/s)" 0.0
  counter 10000 "GPU 0: DRAM read (B/s)" 1e12
  counter 110000 "GPU 0: DRAM read (B/s)" 2e12
  counter 160000 "GPU 0: DRAM read (B/s)" 0.0
  counter 210000 "GPU 0: DRAM read (B/s)" 1e12
  counter 260000 "GPU 0: DRAM read (B/s)" nan
  counter 0 "GPU 0: tensor cores active (%)" 0.0
  counter 10000 "GPU 0: tensor cores active (%)" 80.0
  counter 110000 "GPU 0: tensor cores active (%)" 0.0
  counter 160000 "GPU 0: tensor cores active (%)" 0.0
  counter 210000 "GPU 0: tensor cores active (%)" 60.0
  counter 260000 "GPU 0: tensor cores active (%)" nan
  )t";

// With shapes: each product is 2 x 1000 x 1000 x 1000 operations.
std::shared_ptr<const Trace> WithProducts(std::string_view text) {
  TraceBuilder builder;
  BuildFromText(text, builder);
  for (Row row = 0; row < builder.event_count(); ++row)
    if (builder.name_of(row) == builder.Intern("aten::mm"))
      builder.AddRawArgs(row, R"("Input Dims": [[1000, 1000], [1000, 1000]])");
  return *builder.Finish();
}

std::shared_ptr<const MeasuredGroups> MeasuredIn(
    const Trace& trace, const SummaryOptions& of = {}) {
  const Result<Summary> summary = ComputeSummaryOfSteps(trace, of);
  EXPECT_TRUE(summary.has_value());
  return summary->measured;
}

const MeasuredWork& WorkOf(const Trace& trace, const MeasuredGroups& measured,
                           GroupLevel level, std::string_view name) {
  const MeasuredWork* work = measured.Find(level, trace.strings().Find(name));
  if (work != nullptr) return *work;
  ADD_FAILURE() << name;
  static const MeasuredWork none;
  return none;
}

TEST(MeasuredGroupsTest, KernelsOperatorsModulesAndStepsHaveTheirBytes) {
  const auto trace = WithProducts(kTwoMeasuredSteps);
  const auto measured = MeasuredIn(*trace);
  ASSERT_NE(measured, nullptr);
  const MeasuredWork& gemm =
      WorkOf(*trace, *measured, GroupLevel::kKernel, "gemm");
  EXPECT_EQ(gemm.work_ns, 200'000);
  EXPECT_DOUBLE_EQ(gemm.measured_ratio(), 0.75);
  EXPECT_EQ(gemm.dram_bytes(), 150'000'000);
  EXPECT_EQ(gemm.dram_error_bytes(), 0);
  EXPECT_DOUBLE_EQ(*gemm.dram_gb_per_s(), 1000);
  EXPECT_DOUBLE_EQ(*gemm.ActiveRatio(CounterMeasure::kTensorCores),
                   110 / 150.0);
  EXPECT_FALSE(gemm.ActiveRatio(CounterMeasure::kSms));
  // Three quarters of 4e9 operations, for the bytes of three quarters.
  EXPECT_DOUBLE_EQ(*gemm.intensity(), 20);
  EXPECT_DOUBLE_EQ(*gemm.tflops_per_s(), 20);
  EXPECT_EQ(
      WorkOf(*trace, *measured, GroupLevel::kOperator, "aten::mm").dram_bytes(),
      150'000'000);
  EXPECT_EQ(WorkOf(*trace, *measured, GroupLevel::kOperator, "aten::copy_")
                .dram_bytes(),
            100'000'000);
  const MeasuredWork& net =
      WorkOf(*trace, *measured, GroupLevel::kModule, "nn.Module: Net_0");
  EXPECT_EQ(net.dram_bytes(), 200'000'000);
  EXPECT_DOUBLE_EQ(net.measured_ratio(), 1);
  // A copy has no tensor cores to keep busy.
  EXPECT_DOUBLE_EQ(*net.ActiveRatio(CounterMeasure::kTensorCores), 0.8);
  EXPECT_EQ(measured->FindStep(0)->dram_bytes(), 200'000'000);
  EXPECT_EQ(measured->FindStep(1)->dram_bytes(), 50'000'000);
  EXPECT_EQ(measured->steps().dram_bytes(), 250'000'000);
}

TEST(MeasuredGroupsTest, WorkOfOtherStepsKeepsItsShare) {
  // The second kernel is of a step that is not chosen, in the same sample.
  const auto trace = TraceFromText(R"t(
    thread 1
      0..100 ProfileStep#0 ProfileStep
        10..20 cudaLaunchKernel CudaRuntime correlation=1
      100..200 ProfileStep#1 ProfileStep
        110..120 cudaLaunchKernel CudaRuntime correlation=2
    stream 7 GPU:0
      50..100 k Kernel correlation=1
      120..170 k Kernel correlation=2
    counter 0 "GPU 0: DRAM written (B/s)" 1e9
    counter 200 "GPU 0: DRAM written (B/s)" nan)t");
  SummaryOptions options;
  options.steps = *ParseStepChoice("0:1");
  const Result<Summary> summary = ComputeSummaryOfSteps(*trace, options);
  ASSERT_TRUE(summary.has_value());
  ASSERT_EQ(summary->kernel.size(), 1u);
  ASSERT_NE(summary->kernel[0].measured, nullptr);
  EXPECT_EQ(summary->kernel[0].measured->dram_bytes(), 100);
  EXPECT_EQ(summary->kernel[0].measured->dram_error_bytes(), 100);
  // The list of steps has all.
  ASSERT_EQ(summary->steps.size(), 2u);
  EXPECT_EQ(summary->steps[1].measured->dram_bytes(), 100);
}

TEST(MeasuredGroupsTest, ADeviceHasTheCountersOfItsNumberAndProcess) {
  const auto trace = TraceFromText(R"t(
    process 1
      stream 7 GPU:0
        0..100 zero Kernel
      stream 7 GPU:1
        0..100 one Kernel
      counter 0 "GPU 1: DRAM read (B/s)" 1e9
      counter 100 "GPU 1: DRAM read (B/s)" nan
    process 2
      stream 7 GPU:1
        0..100 other Kernel)t");
  const auto measured = MeasuredIn(*trace);
  const auto ratio_of = [&](const char* name) {
    return WorkOf(*trace, *measured, GroupLevel::kKernel, name)
        .measured_ratio();
  };
  EXPECT_EQ(ratio_of("zero"), 0);
  EXPECT_EQ(ratio_of("one"), 1);
  EXPECT_EQ(ratio_of("other"), 0);
}

TEST(MeasuredGroupsTest, ARooflineComparesWithWhatTheDeviceCanDo) {
  const auto trace = WithProducts(kTwoMeasuredSteps);
  SummaryOptions options;
  options.device_peaks = {.tflops = 40, .gbs = 1250};
  const auto measured = MeasuredIn(*trace, options);
  const MeasuredWork& gemm =
      WorkOf(*trace, *measured, GroupLevel::kKernel, "gemm");
  const Roofline roofline = CompareWithPeaks(gemm, measured->peaks());
  EXPECT_DOUBLE_EQ(*roofline.memory_ratio, 0.8);
  EXPECT_DOUBLE_EQ(*roofline.peak_ratio, 0.5);
  EXPECT_DOUBLE_EQ(*roofline.roof_ratio, 0.8);
  EXPECT_EQ(roofline.limit, RoofLimit::kMemory);
  // The peak of another device, and none.
  EXPECT_FALSE(CompareWithPeaks(gemm, {.gbs = 900}).memory_ratio);
  EXPECT_FALSE(CompareWithPeaks(gemm, {.gbs = 900}).roof_ratio);
  EXPECT_EQ(CompareWithPeaks(gemm, {}).limit, RoofLimit::kTensorCores);
}

TEST(MeasuredGroupsTest, WhatIsNotMeasuredWellHasNoLimit) {
  MeasuredWork work;
  work.work_ns = 1000;
  MeasuredPart& read =
      work.parts[static_cast<size_t>(CounterMeasure::kDramRead)];
  read = {.amount = 900, .error = 90, .busy_ns = 900, .measured_ns = 900};
  const StatedPeaks peaks{.gbs = 1};
  EXPECT_EQ(CompareWithPeaks(work, peaks).limit, RoofLimit::kMemory);
  read.error = 400;
  EXPECT_FALSE(CompareWithPeaks(work, peaks).limit);
  read = {.amount = 300, .error = 0, .busy_ns = 300, .measured_ns = 300};
  EXPECT_FALSE(CompareWithPeaks(work, peaks).limit);
}

// Kernels with rates of their own, in any order and on two streams: what they
// are given is off by no more than is said.
TEST(MeasuredGroupsPropertyTest, TheErrorIsNotLargerThanSaid) {
  constexpr int kNames = 4;
  uint64_t given = 0;
  for (uint32_t seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    const auto draw = [&](int64_t below) {
      return static_cast<int64_t>(random() % static_cast<uint64_t>(below));
    };
    TraceBuilder builder;
    builder.AddProcess({});
    std::vector<int64_t> traffic(2000);  // bytes, by nanosecond
    std::vector<int64_t> bytes(kNames);  // by kernel
    const int64_t longest = 20 + draw(300);
    for (int stream = 0; stream < 2; ++stream) {
      Track track;
      track.kind = TrackKind::kStream;
      track.id = stream;
      track.device = 0;
      const uint32_t index = builder.AddTrack(track);
      for (int64_t at = draw(100); at < 1500;) {
        EventSpec kernel;
        const int64_t name = draw(kNames);
        kernel.track = index;
        kernel.start_ns = at;
        kernel.dur_ns = 1 + draw(longest);
        kernel.type = STEPSCOPE_KERNEL;
        kernel.name = builder.Intern("k" + std::to_string(name));
        builder.AddEvent(kernel);
        const int64_t rate = name * name;
        for (int64_t t = at; t < at + kernel.dur_ns; ++t)
          traffic[static_cast<size_t>(t)] += rate;
        bytes[static_cast<size_t>(name)] += rate * kernel.dur_ns;
        at += kernel.dur_ns + draw(2) * draw(80);
      }
    }
    Track counter;
    counter.kind = TrackKind::kCounter;
    counter.name = builder.Intern(
        DeviceCounterTrackName({DeviceCounterKind::kDramRead, 0}));
    const uint32_t index = builder.AddTrack(counter);
    const int64_t interval = 10 + draw(90);
    for (int64_t at = 0; at < 2000; at += interval) {
      CounterSample sample;
      sample.time_ns = at;
      sample.track = index;
      double sum = 0;
      const int64_t end = std::min<int64_t>(at + interval, 2000);
      for (int64_t t = at; t < end; ++t)
        sum += static_cast<double>(traffic[static_cast<size_t>(t)]);
      sample.value = sum / static_cast<double>(end - at) * 1e9;
      builder.AddCounter(sample);
    }
    builder.AddCounter({.time_ns = 2000,
                        .track = index,
                        .value = std::numeric_limits<double>::quiet_NaN()});
    const auto trace = *builder.Finish();
    const auto measured = MeasuredIn(*trace);
    double all = 0;
    for (int name = 0; name < kNames; ++name) {
      const StringId id = trace->strings().Find("k" + std::to_string(name));
      const MeasuredWork* work = measured->Find(GroupLevel::kKernel, id);
      if (work == nullptr) continue;
      const auto want = static_cast<double>(bytes[static_cast<size_t>(name)]);
      const MeasuredPart& part = work->part(CounterMeasure::kDramRead);
      ASSERT_LE(std::abs(part.amount - want), part.error + 1e-3) << seed;
      ASSERT_DOUBLE_EQ(work->measured_ratio(), 1);
      all += part.amount;
      ++given;
    }
    double want = 0;
    for (const int64_t of_name : bytes) want += static_cast<double>(of_name);
    ASSERT_NEAR(all, want, 1e-3) << seed;
  }
  EXPECT_GT(given, 600u);
}

}  // namespace
}  // namespace stepscope
