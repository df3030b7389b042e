// SPDX-License-Identifier: Apache-2.0
//
// Each rule on a program that has just that trouble, and all of them on one
// that has none. Times are drawn in microseconds.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/advice/rules.h"
#include "analysis/summary.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope {
namespace {

constexpr int kSteps = 5;
constexpr int kStepUs = 1000;
const std::string kMain = "thread 1 main\n";

// Draws the same step several times.
class Program {
 public:
  // On the stepping thread, on another, or on a stream; times within a step.
  Program& Host(int begin, int end, std::string what) {
    return Add(kMain, begin, end, std::move(what));
  }
  Program& Stream(int id, int begin, int end, std::string what) {
    return Add("stream " + std::to_string(id) + " GPU:0\n", begin, end,
               std::move(what));
  }
  // A launch and its kernel.
  Program& Kernel(int call, int call_end, int begin, int end,
                  const std::string& name, int stream = 7) {
    const std::string id = " correlation=" + std::to_string(++launches_);
    Host(call, call_end, "cudaLaunchKernel CudaRuntime" + id);
    return Stream(stream, begin, end, "\"" + name + "\" Kernel" + id);
  }
  // A launch of a graph; its kernels take 10 us each, one after the other.
  Program& Graph(int call, int call_end, int begin, int kernels) {
    const std::string id = " correlation=" + std::to_string(++launches_);
    Host(call, call_end, "cudaGraphLaunch GraphLaunch" + id);
    for (int i = 0; i < kernels; ++i) {
      Stream(7, begin + i * 10, begin + i * 10 + 10, "node Kernel" + id);
    }
    return *this;
  }
  // The step ends when the device is done.
  Program& WaitFrom(int begin) {
    return Host(begin, kStepUs - 12, "cudaDeviceSynchronize CudaRuntime");
  }

  Advice Ask() {
    std::map<std::string, std::string> tracks;
    for (int step = 0; step < kSteps; ++step) {
      tracks[kMain] += Range(step, 0, kStepUs - 10) + " ProfileStep#" +
                       std::to_string(step) + " ProfileStep\n";
      for (const Line& line : lines_) {
        // Ids must differ from step to step.
        const bool has_id = line.what.find("correlation=") != std::string::npos;
        tracks[line.track] += Range(step, line.begin, line.end) + " " +
                              line.what + (has_id ? std::to_string(step) : "") +
                              "\n";
      }
    }
    tracks[kMain] += more_;
    std::string text;
    for (const auto& [track, lines] : tracks) text += track + lines;
    TraceBuilder builder;
    BuildFromText(text, builder);
    for (Row row = 0; row < builder.event_count(); ++row) {
      if (builder.name_of(row) != builder.Intern("thin")) continue;
      builder.AddDouble(row, "blocks per SM", 0.25);
    }
    trace_ = *builder.Finish();
    SummaryOptions options;
    options.views = kAdviceView;
    options.unprofiled_ns = unprofiled_ns_;
    summary_ = ComputeSummary(*trace_, options);
    return summary_.advice;
  }
  Program& Raw(std::string text) {
    more_ += text;
    return *this;
  }
  Program& Unprofiled(int64_t step_ns) {
    unprofiled_ns_ = step_ns;
    return *this;
  }
  const Summary& summary() const { return summary_; }

 private:
  struct Line {
    std::string track;
    int begin;
    int end;
    std::string what;
  };
  Program& Add(std::string track, int begin, int end, std::string what) {
    lines_.push_back({std::move(track), begin, end, std::move(what)});
    return *this;
  }
  static std::string Range(int step, int begin, int end) {
    return std::to_string((step * kStepUs + begin) * 1000) + ".." +
           std::to_string((step * kStepUs + end) * 1000);
  }

  std::vector<Line> lines_;
  std::string more_;
  int launches_ = 0;
  std::optional<int64_t> unprofiled_ns_;
  std::shared_ptr<const Trace> trace_;
  Summary summary_;
};

// The finding with that id, or one without an id.
Finding Find(const Advice& advice, std::string_view id) {
  for (const Finding& finding : advice.findings) {
    if (finding.id == id) {
      EXPECT_FALSE(finding.evidence.empty());
      EXPECT_FALSE(finding.to_try.empty());
      return finding;
    }
  }
  return {};
}

bool Mentions(const std::vector<std::string>& texts, std::string_view part) {
  return std::any_of(texts.begin(), texts.end(), [&](const std::string& text) {
    return text.find(part) != std::string::npos;
  });
}

bool HasEvidence(const Finding& finding, std::string_view part) {
  return std::any_of(finding.evidence.begin(), finding.evidence.end(),
                     [&](const Evidence& evidence) {
                       return evidence.what.find(part) != std::string::npos;
                     });
}

// In microseconds of a step, by replay.
void ExpectSaving(const Finding& finding, int64_t wanted_us, int64_t off_us) {
  EXPECT_TRUE(finding.replayed) << finding.id;
  EXPECT_FALSE(finding.change.empty());
  EXPECT_LE(finding.saving_ns, (wanted_us + off_us) * 1000) << finding.id;
  EXPECT_GE(finding.saving_ns, (wanted_us - off_us) * 1000) << finding.id;
  EXPECT_LE(finding.low_ns, finding.saving_ns);
  EXPECT_GE(finding.high_ns, finding.saving_ns);
  EXPECT_GT(finding.low_ns, 0);
}

const char* const kTensorKernel = "sm90_xmma_gemm_f16f16_f16f32";

// Work that keeps the device busy throughout.
Program Healthy() {
  Program program;
  program.Kernel(0, 5, 8, 985, kTensorKernel).WaitFrom(10);
  return program;
}

// Many kernels of 3 us, each launched when the one before is long done.
Program LaunchBound(const std::string& kernel = "tiny") {
  Program program;
  for (int i = 0; i < 24; ++i) {
    const int at = i * 40;
    program.Host(at, at + 30, "op Operator");
    program.Kernel(at + 5, at + 25, at + 27, at + 30, kernel);
  }
  return program;
}

TEST(AdviceTest, AHealthyProgramHasNoFindings) {
  Program program = Healthy();
  const Advice advice = program.Ask();
  EXPECT_TRUE(advice.findings.empty());
  EXPECT_TRUE(advice.doubts.empty());
  EXPECT_TRUE(advice.nothing.empty());
  EXPECT_GT(advice.device_busy, 0.95);
}

TEST(AdviceTest, DataLoader) {
  Program program;
  program.Host(0, 600, "next Dataloader");
  program.Kernel(600, 605, 610, 985, kTensorKernel).WaitFrom(610);
  const Advice advice = program.Ask();
  ASSERT_FALSE(advice.findings.empty());
  EXPECT_EQ(advice.findings[0].id, "data_loader");
  EXPECT_EQ(advice.findings[0].change, "data_ready");
  ExpectSaving(advice.findings[0], 600, 30);
}

TEST(AdviceTest, SyncInTheLoop) {
  Program sync;
  sync.Kernel(0, 5, 10, 500, kTensorKernel);
  sync.Host(20, 700, "aten::item Operator");
  sync.Host(30, 505, "cudaStreamSynchronize CudaRuntime");
  sync.Kernel(700, 705, 710, 985, kTensorKernel).WaitFrom(710);
  const Finding finding = Find(sync.Ask(), "host_sync");
  // The host computes from 505 to 700; it could while the first kernel runs.
  ExpectSaving(finding, 200, 60);
  EXPECT_NE(finding.evidence[0].what.find("Synchronize"), std::string::npos);
  Program program = Healthy();
  EXPECT_EQ(Find(program.Ask(), "host_sync").id, "");
}

TEST(AdviceTest, LaunchBoundAndSmallKernels) {
  Program program = LaunchBound();
  const Advice advice = program.Ask();
  const Finding launch = Find(advice, "launch_bound");
  EXPECT_EQ(launch.change, "graph");
  ExpectSaving(launch, 870, 80);
  EXPECT_TRUE(Mentions(launch.to_try, "compiling the model"));
  const Finding small = Find(advice, "small_kernels");
  EXPECT_EQ(small.change, "fuse_small");
  EXPECT_TRUE(small.replayed);
  EXPECT_EQ(small.evidence[1].name, "tiny");
}

TEST(AdviceTest, SavingsOfTheSameTimeCannotBeAdded) {
  Program program = LaunchBound();
  const Advice advice = program.Ask();
  const Finding launch = Find(advice, "launch_bound");
  const Finding small = Find(advice, "small_kernels");
  ASSERT_EQ(small.overlaps.size(), 1u);
  EXPECT_EQ(small.overlaps[0].id, "launch_bound");
  EXPECT_LT(small.overlaps[0].together_ns, launch.saving_ns + small.saving_ns);
  ASSERT_TRUE(advice.together_ns);
  EXPECT_LE(*advice.together_ns, advice.step_ns);
  EXPECT_GE(advice.findings[0].saving_ns, advice.findings[1].saving_ns);
}

TEST(AdviceTest, ACompiledModelIsNotToBeCompiled) {
  for (const char* const kernel :
       {"triton_poi_fused_add_relu_0", "loop_add_fusion_3"}) {
    Program program = LaunchBound(kernel);
    const Advice advice = program.Ask();
    const Finding launch = Find(advice, "launch_bound");
    EXPECT_EQ(launch.id, "launch_bound") << kernel;
    EXPECT_FALSE(Mentions(launch.to_try, "compiling the model")) << kernel;
    EXPECT_FALSE(
        Mentions(Find(advice, "small_kernels").to_try, "compiling the model"))
        << kernel;
  }
}

TEST(AdviceTest, AGraphIsOneLaunch) {
  Program program;
  program.Graph(0, 20, 25, 90).WaitFrom(30);
  program.Ask();
  const LaunchStats& launch = program.summary().launch;
  EXPECT_EQ(launch.call.count, uint64_t{kSteps});
  EXPECT_EQ(launch.followers, uint64_t{kSteps - 1});
  EXPECT_EQ(launch.queue_delay.count, uint64_t{kSteps});
}

TEST(AdviceTest, AGraphWithoutItsKernelsIsNotTrusted) {
  Program program;
  program.Kernel(0, 5, 10, 15, "copy").Graph(100, 130, 0, 0);
  program.Host(140, 900, "op Operator");
  const Advice advice = program.Ask();
  EXPECT_TRUE(Mentions(advice.doubts, "graph launches have no device work"));
  EXPECT_TRUE(advice.findings.empty());
}

TEST(AdviceTest, OneSlowLaunchIsNotManySmallKernels) {
  Program program;
  program.Kernel(0, 650, 655, 660, "first");  // code is loaded
  program.Kernel(660, 665, 670, 980, kTensorKernel).WaitFrom(700);
  EXPECT_EQ(Find(program.Ask(), "small_kernels").id, "");
}

TEST(AdviceTest, ExposedCommunication) {
  Program program;
  program.Kernel(0, 5, 10, 500, kTensorKernel);
  program.Kernel(8, 12, 400, 985, "ncclDevKernel_AllReduce", 8).WaitFrom(15);
  const Finding finding = Find(program.Ask(), "exposed_communication");
  ExpectSaving(finding, 480, 120);
  EXPECT_EQ(finding.evidence[1].name, "ncclDevKernel_AllReduce");
}

Advice AskText(const char* text) {
  static std::shared_ptr<const Trace> trace;
  trace = TraceFromText(text);
  SummaryOptions options;
  options.views = kAdviceView;
  return ComputeSummary(*trace, options).advice;
}

// 50 ms of communication, 20 of them beside an operator of another thread.
TEST(AdviceTest, OperatorsHideCommunicationOfAHostAlone) {
  const Advice advice = AskText(
      "thread 1 main\n0..100000000 ProfileStep#0 ProfileStep\n"
      "0..40000000 aten::mm Operator\n"
      "50000000..80000000 gloo:barrier Communication\n"
      "thread 2 gloo\n20000000..40000000 gloo:all_reduce Communication\n");
  const Finding finding = Find(advice, "exposed_communication");
  EXPECT_TRUE(HasEvidence(finding, "only communicates for 30.00 ms"));
  EXPECT_TRUE(
      HasEvidence(finding, "40.0 % of all communication (50.00 ms) is hidden"));
}

TEST(AdviceTest, IdleTimeIsNamedByTheRangeAroundIt) {
  Program program;
  program.Kernel(0, 5, 10, 400, kTensorKernel);
  program.Host(400, 900, "backward Backward");
  program.Kernel(800, 805, 810, 985, kTensorKernel);
  const Finding finding = Find(program.Ask(), "launch_bound");
  EXPECT_TRUE(HasEvidence(finding, "per step on average under backward"));
}

TEST(AdviceTest, TheOptimizersLoopIsNamed) {
  Program program;
  program.Kernel(0, 5, 10, 300, kTensorKernel);
  program.Host(300, 980, "Optimizer.step#AdamW.step UserDefined");
  for (int i = 0; i < 25; ++i) {
    const int at = 310 + i * 25;
    program.Kernel(at, at + 8, at + 10, at + 13, "multi_tensor");
  }
  const Advice advice = program.Ask();
  const Finding finding = Find(advice, "optimizer_loop");
  EXPECT_EQ(finding.change, "fuse_small:Optimizer.step#AdamW.step");
  ExpectSaving(finding, 600, 100);
  EXPECT_TRUE(
      HasEvidence(Find(advice, "launch_bound"), "Optimizer.step#AdamW.step"));
}

// As JAX records it: work without launches, programs that the host dispatches.
TEST(AdviceTest, AnIdleDeviceIsNeverLeftUnnamed) {
  Program program;
  program.Host(50, 700, "PjitFunction(step) UserDefined");
  program.Stream(7, 600, 700, "loop_add_fusion Kernel");
  const Advice advice = program.Ask();
  const Finding finding = Find(advice, "device_idle");
  EXPECT_EQ(finding.id, "device_idle");
  // The host in half the time, replayed or not: never all of the idle time.
  EXPECT_GT(finding.saving_ns, 0);
  EXPECT_LE(finding.saving_ratio, 0.5);
  EXPECT_TRUE(HasEvidence(finding, "PjitFunction(step)"));
  EXPECT_LT(advice.device_busy, 0.2);
}

// What is about no event is about a time.
TEST(AdviceTest, IdleTimeIsShownByItsLongestGap) {
  Program program;
  program.Stream(7, 600, 700, "loop_add_fusion Kernel");
  const Finding finding = Find(program.Ask(), "device_idle");
  ASSERT_EQ(finding.id, "device_idle");
  const Evidence& evidence = finding.evidence.at(0);
  EXPECT_EQ(evidence.example, kNoRow);
  EXPECT_NE(evidence.what.find("the longest of 600.00 us"), std::string::npos)
      << evidence.what;
  EXPECT_EQ((evidence.range.end - evidence.range.begin) / 1000, 600);
  EXPECT_EQ(evidence.range.begin / 1000 % kStepUs, 0);
}

TEST(AdviceTest, WaitingForLaunchesIsShownByItsLongestGap) {
  const Finding finding = Find(LaunchBound().Ask(), "launch_bound");
  const Evidence& evidence = finding.evidence.at(0);
  EXPECT_EQ(evidence.example, kNoRow);
  EXPECT_LT(evidence.range.begin, evidence.range.end);
}

TEST(AdviceTest, OperatorOnTheCpu) {
  Program program;
  program.Kernel(0, 5, 10, 300, kTensorKernel);
  program.Host(300, 600, "sparse::cpu_only Operator");
  program.Kernel(600, 605, 610, 985, kTensorKernel).WaitFrom(610);
  const Finding finding = Find(program.Ask(), "cpu_operator");
  EXPECT_EQ(finding.change, "op:sparse::cpu_only=0");
  ExpectSaving(finding, 300, 30);
  EXPECT_EQ(finding.evidence[0].name, "sparse::cpu_only");
  EXPECT_EQ(finding.evidence[0].calls, uint64_t{kSteps});
}

TEST(AdviceTest, WhatToTryFitsTheOperator) {
  const auto to_try = [](const std::string& name) {
    Program program;
    program.Kernel(0, 5, 10, 300, kTensorKernel);
    program.Host(300, 600, name + " Operator");
    program.Kernel(600, 605, 610, 985, kTensorKernel).WaitFrom(610);
    return Find(program.Ask(), "cpu_operator").to_try;
  };
  EXPECT_TRUE(Mentions(to_try("aten::unflatten_dense_tensors"), "bucket"));
  EXPECT_TRUE(Mentions(to_try("aten::empty"), "allocating once"));
  EXPECT_TRUE(Mentions(to_try("aten::to"), "pinned"));
  EXPECT_TRUE(Mentions(to_try("Iterator::Generator"), "prefetch"));
  EXPECT_TRUE(Mentions(to_try("aten::unique"), "for the device"));
}

TEST(AdviceTest, SettingUpIsNoOperator) {
  Program program;
  program.Kernel(0, 5, 10, 300, kTensorKernel);
  program.Host(300, 600, "aten::convolution Operator");
  program.Host(305, 595, "cuModuleLoadData CudaRuntime");
  program.Kernel(600, 605, 610, 985, kTensorKernel).WaitFrom(610);
  EXPECT_EQ(Find(program.Ask(), "cpu_operator").id, "");
}

TEST(AdviceTest, MemoryGrowth) {
  Program program = Healthy();
  std::string memory;
  for (int i = 0; i < kSteps; ++i) {
    memory += "memory " + std::to_string(i * kStepUs * 1000 + 50) +
              " +64 Place(gpu:0) 0x" + std::to_string(100 + i) + "\n";
  }
  const Finding finding = Find(program.Raw(memory).Ask(), "memory_growth");
  EXPECT_EQ(finding.id, "memory_growth");
  EXPECT_EQ(finding.saving_ns, 0);
  EXPECT_NE(finding.evidence.at(0).what.find("64 bytes"), std::string::npos);
  // Who allocated it is an event of the step, so that it can be shown.
  const Row example = finding.evidence.at(0).example;
  ASSERT_NE(example, kNoRow);
  const Trace& trace = *program.summary().trace;
  EXPECT_EQ(trace.start_ns()[example] / 1000, kStepUs);
}

TEST(AdviceTest, LowOccupancy) {
  Program program;
  program.Kernel(0, 5, 8, 985, "thin").WaitFrom(10);
  const Finding finding = Find(program.Ask(), "low_occupancy");
  EXPECT_EQ(finding.change, "kernel:thin=0.25");
  ExpectSaving(finding, 733, 30);
}

TEST(AdviceTest, Fp32WhereTensorCoresIdle) {
  Program program;
  program.Kernel(0, 5, 8, 985, "ampere_sgemm_128x64_nn").WaitFrom(10);
  const Finding finding = Find(program.Ask(), "tensor_cores");
  ExpectSaving(finding, 488, 30);
  EXPECT_NE(finding.finding.find("estimated"), std::string::npos);
}

TEST(AdviceTest, TensorCoresDoNotHelpWhereTheHostIsSlow) {
  Program program;
  program.Kernel(0, 5, 10, 300, "ampere_sgemm_128x64_nn");
  program.Host(10, 980, "python PythonFunction");
  EXPECT_EQ(Find(program.Ask(), "tensor_cores").id, "");
}

TEST(AdviceTest, StreamsThatTakeTurns) {
  Program program;
  program.Stream(7, 0, 500, "a Kernel");
  program.Stream(8, 500, 985, "b Kernel");
  const Finding finding = Find(program.Ask(), "serial_streams");
  EXPECT_EQ(finding.saving_ns, 485'000);
  EXPECT_FALSE(finding.replayed);
  EXPECT_NE(finding.saving_basis.find("not replayed"), std::string::npos);
  Program together;
  together.Stream(7, 0, 900, "a Kernel");
  together.Stream(8, 500, 985, "b Kernel");
  EXPECT_EQ(Find(together.Ask(), "serial_streams").id, "");
}

TEST(AdviceTest, MostWorkOutsideTheSteps) {
  Program program = Healthy();
  program.Raw(
      "6000000..6000100 cudaLaunchKernel CudaRuntime correlation=99\n"
      "stream 7 GPU:0\n"
      "6000200..26000000 late Kernel correlation=99\n");
  EXPECT_TRUE(Mentions(program.Ask().doubts, "outside the steps"));
}

TEST(AdviceTest, SaysWhyThereIsNothing) {
  EXPECT_TRUE(Mentions(AskText("").nothing, "no events"));
  const Advice plain = AskText("thread 1\n0..1000 Solve\n100..200 Inner\n");
  EXPECT_TRUE(Mentions(plain.nothing, "2 events on 1 thread"));
  EXPECT_TRUE(Mentions(plain.nothing, "no step and no device work"));
  EXPECT_TRUE(Mentions(
      AskText("thread 1\n0..9 Solve\nasync 1 loop\n0..9 a\n5..9 b\n").nothing,
      "3 events, 1 of them on 1 thread, over "));
  EXPECT_TRUE(Mentions(AskText("async 1 loop\n0..9 a\n").nothing,
                       "1 event on no thread over "));
  const Advice steps = AskText(
      "thread 1\n0..1000 ProfileStep#0 ProfileStep\n100..200 op Operator\n");
  EXPECT_TRUE(steps.nothing.empty());  // steps of the host can be advised on
}

// Work that was launched and does not begin for long waits for something that
// the trace does not have: the device was not idle, and the host is not to
// blame.
TEST(AdviceTest, WorkThatTheTraceLacksIsNotTheHostsFault) {
  const std::string text =
      "thread 1\n0..40000000 ProfileStep#0 ProfileStep\n"
      "1000..6000 cudaLaunchKernel CudaRuntime correlation=1\n"
      "LAUNCH cudaLaunchKernel CudaRuntime correlation=2\n"
      "stream 7 GPU:0\n8000..1000000 a Kernel correlation=1\n"
      "30000000..39000000 b Kernel correlation=2\n";
  const auto with = [&](const char* launch) {
    std::string changed = text;
    changed.replace(changed.find("LAUNCH"), 6, launch);
    return AskText(changed.c_str());
  };
  const Advice queued = with("10000..15000");
  EXPECT_TRUE(Mentions(queued.doubts, "For 29.00 ms the device had nothing"));
  EXPECT_TRUE(Mentions(queued.doubts, "although work was launched"));
  EXPECT_EQ(Find(queued, "device_idle").id, "");
  EXPECT_EQ(Find(queued, "launch_bound").id, "");
  const Advice late = with("29990000..29995000");
  EXPECT_FALSE(Mentions(late.doubts, "although work was launched"));
  EXPECT_EQ(Find(late, "device_idle").id, "device_idle");
}

TEST(AdviceTest, OfTheStepWithoutTheRecorder) {
  Program program = LaunchBound();
  program.Unprofiled(600'000);
  const Advice advice = program.Ask();
  EXPECT_EQ(advice.unprofiled_step_ns, 600'000);
  EXPECT_EQ(advice.step_ns, 600'000);
  for (const Finding& finding : advice.findings) {
    EXPECT_LT(finding.saving_ns, 600'000) << finding.id;
  }
}

}  // namespace
}  // namespace stepscope
