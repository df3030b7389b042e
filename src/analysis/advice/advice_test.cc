// SPDX-License-Identifier: Apache-2.0
//
// Each rule on a program that has just that trouble, and all of them on one
// that has none. Times are drawn in microseconds.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analysis/summary.h"
#include "trace/trace_from_text.h"

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
                  const std::string& name) {
    const std::string id = " correlation=" + std::to_string(++launches_);
    Host(call, call_end, "cudaLaunchKernel CudaRuntime" + id);
    return Stream(7, begin, end, "\"" + name + "\" Kernel" + id);
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
                              line.what +
                              (has_id ? std::to_string(step) : "") + "\n";
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
    summary_ = ComputeSummary(*trace_, options);
    return summary_.advice;
  }
  Program& Raw(std::string text) {
    more_ += text;
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

// Work that keeps the device busy throughout.
Program Healthy() {
  Program program;
  program.Kernel(0, 5, 0, 985, "sm90_xmma_gemm_f16f16_f16f32");
  return program;
}

TEST(AdviceTest, AHealthyProgramHasNoFindings) {
  Program program = Healthy();
  const Advice advice = program.Ask();
  EXPECT_TRUE(advice.findings.empty());
  EXPECT_TRUE(advice.doubts.empty());
}

TEST(AdviceTest, DataLoader) {
  Program program;
  program.Host(0, 600, "next Dataloader");
  program.Kernel(600, 605, 610, 985, "sm90_xmma_gemm_f16f16_f16f32");
  const Advice advice = program.Ask();
  ASSERT_FALSE(advice.findings.empty());
  EXPECT_EQ(advice.findings[0].id, "data_loader");
  EXPECT_EQ(advice.findings[0].saving_ns, kSteps * 600'000);
}

TEST(AdviceTest, SyncInTheLoop) {
  Program program = Healthy();
  program.Kernel(0, 5, 10, 500, "a");
  Program sync;
  sync.Kernel(0, 5, 10, 500, "sm90_xmma_gemm_f16f16_f16f32");
  sync.Host(400, 700, "aten::item Operator");
  sync.Host(410, 600, "cudaStreamSynchronize CudaRuntime");
  sync.Kernel(700, 705, 710, 985, "sm90_xmma_gemm_f16f16_f16f32");
  const Finding finding = Find(sync.Ask(), "host_sync");
  // From the end of the kernel at 500 until the next began at 710.
  EXPECT_EQ(finding.saving_ns, kSteps * 210'000);
  EXPECT_NE(finding.evidence[0].what.find("aten::item"), std::string::npos);
  EXPECT_EQ(Find(program.Ask(), "host_sync").id, "");
}

TEST(AdviceTest, LaunchBoundAndSmallKernels) {
  Program program;
  for (int i = 0; i < 24; ++i) {
    const int at = i * 40;
    program.Host(at, at + 30, "op Operator");
    program.Kernel(at + 5, at + 25, at + 27, at + 30, "tiny");
  }
  const Advice advice = program.Ask();
  const Finding launch = Find(advice, "launch_bound");
  EXPECT_GT(launch.saving_ns, kSteps * 400'000);
  const Finding small = Find(advice, "small_kernels");
  EXPECT_EQ(small.saving_ns, kSteps * 24 * 17'000);
  EXPECT_EQ(small.evidence[1].name, "tiny");
}

TEST(AdviceTest, ExposedCommunication) {
  Program program;
  program.Kernel(0, 5, 10, 500, "sm90_xmma_gemm_f16f16_f16f32");
  program.Kernel(8, 9, 400, 985, "ncclDevKernel_AllReduce");
  const Finding finding = Find(program.Ask(), "exposed_communication");
  EXPECT_EQ(finding.saving_ns, kSteps * 485'000);
  EXPECT_EQ(finding.evidence[1].name, "ncclDevKernel_AllReduce");
}

TEST(AdviceTest, HostBoundBackward) {
  Program program;
  program.Kernel(0, 5, 10, 400, "sm90_xmma_gemm_f16f16_f16f32");
  program.Host(400, 900, "backward Backward");
  program.Kernel(800, 805, 810, 985, "sm90_xmma_gemm_f16f16_f16f32");
  const Finding finding = Find(program.Ask(), "host_bound_backward");
  EXPECT_EQ(finding.saving_ns, kSteps * 410'000);
}

TEST(AdviceTest, OperatorOnTheCpu) {
  Program program;
  program.Kernel(0, 5, 10, 300, "sm90_xmma_gemm_f16f16_f16f32");
  program.Host(300, 600, "sparse::cpu_only Operator");
  program.Kernel(600, 605, 610, 985, "sm90_xmma_gemm_f16f16_f16f32");
  const Finding finding = Find(program.Ask(), "cpu_operator");
  EXPECT_EQ(finding.saving_ns, kSteps * 300'000);
  EXPECT_EQ(finding.evidence[0].name, "sparse::cpu_only");
  EXPECT_EQ(finding.evidence[0].calls, uint64_t{kSteps});
}

TEST(AdviceTest, MemoryGrowth) {
  Program program = Healthy();
  std::string memory;
  for (int i = 0; i < kSteps; ++i) {
    memory += "memory " + std::to_string(i * kStepUs * 1000 + 50) +
              " +64 Place(gpu:0) 0x" + std::to_string(100 + i) + "\n";
  }
  const Finding finding = Find(program.Raw(memory).Ask(), "memory_growth");
  EXPECT_EQ(finding.saving_ns, 0);
  EXPECT_NE(finding.evidence.at(0).what.find("64 bytes"), std::string::npos);
}

TEST(AdviceTest, LowOccupancy) {
  Program program;
  program.Host(0, 5, "cudaLaunchKernel CudaRuntime");
  program.Stream(7, 0, 985, "thin Kernel");
  const Finding finding = Find(program.Ask(), "low_occupancy");
  EXPECT_EQ(finding.saving_ns, kSteps * 985'000 * 3 / 4);
}

TEST(AdviceTest, Fp32WhereTensorCoresIdle) {
  Program program;
  program.Kernel(0, 5, 0, 985, "ampere_sgemm_128x64_nn");
  const Finding finding = Find(program.Ask(), "tensor_cores");
  EXPECT_EQ(finding.saving_ns, kSteps * 985'000 / 2);
  EXPECT_NE(finding.finding.find("estimated"), std::string::npos);
}

TEST(AdviceTest, StreamsThatTakeTurns) {
  Program program;
  program.Stream(7, 0, 500, "a Kernel");
  program.Stream(8, 500, 985, "b Kernel");
  EXPECT_EQ(Find(program.Ask(), "serial_streams").saving_ns,
            kSteps * 485'000);
  Program together;
  together.Stream(7, 0, 900, "a Kernel");
  together.Stream(8, 500, 985, "b Kernel");
  EXPECT_EQ(Find(together.Ask(), "serial_streams").id, "");
}

}  // namespace
}  // namespace stepscope
