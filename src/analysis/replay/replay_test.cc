// SPDX-License-Identifier: Apache-2.0
//
// Programs whose answer is known, drawn in microseconds.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analysis/random_trace.h"
#include "analysis/replay/whatif.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope {
namespace {

constexpr int64_t kUs = 1'000;

void ExpectNear(int64_t value, int64_t wanted, int64_t off) {
  EXPECT_LE(value, wanted + off);
  EXPECT_GE(value, wanted - off);
}

// Draws the same step several times.
class ReplayedProgram {
 public:
  explicit ReplayedProgram(int step_us, int steps = 6)
      : step_us_(step_us), steps_(steps) {}

  ReplayedProgram& Host(int begin, int end, const std::string& what) {
    return Add("thread 1 main\n", begin, end, what);
  }
  ReplayedProgram& Helper(int begin, int end, const std::string& what) {
    return Add("thread 2 autograd\n", begin, end, what);
  }
  ReplayedProgram& Stream(int id, int begin, int end, const std::string& what) {
    return Add("stream " + std::to_string(id) + " GPU:0\n", begin, end, what);
  }
  // A launch by the main thread and its kernel on stream 7.
  ReplayedProgram& Kernel(int call, int begin, int end,
                          const std::string& name) {
    const std::string id = " correlation=" + std::to_string(++launches_);
    Host(call, call + 5, "cudaLaunchKernel CudaRuntime" + id);
    return Stream(7, begin, end, name + " Kernel" + id);
  }
  ReplayedProgram& HelperKernel(int call, int begin, int end,
                                const std::string& name) {
    const std::string id = " correlation=" + std::to_string(++launches_);
    Helper(call, call + 5, "cudaLaunchKernel CudaRuntime" + id);
    return Stream(7, begin, end, name + " Kernel" + id);
  }
  // The host's steps are this much shorter than the device's.
  ReplayedProgram& HostStep(int us) {
    host_step_us_ = us;
    return *this;
  }

  std::shared_ptr<const Trace> Draw() const {
    std::map<std::string, std::string> tracks;
    const int host_us = host_step_us_ > 0 ? host_step_us_ : step_us_;
    for (int step = 0; step < steps_; ++step) {
      tracks["thread 1 main\n"] += Range(step * host_us, 0, host_us) +
                                   " ProfileStep#" + std::to_string(step) +
                                   " ProfileStep\n";
      for (const Line& line : lines_) {
        const bool device = line.track.starts_with("stream");
        const bool has_id = line.what.find("correlation=") != line.what.npos;
        tracks[line.track] +=
            Range(step * (device ? step_us_ : host_us), line.begin, line.end) +
            " " + line.what + (has_id ? "0" + std::to_string(step) : "") + "\n";
      }
    }
    std::string text;
    for (const auto& [track, lines] : tracks) text += track + lines;
    return TraceFromText(text);
  }

  Whatif Ask(const std::vector<std::string>& changes,
             std::optional<int64_t> unprofiled_ns = std::nullopt) const {
    WhatifOptions options;
    options.steps = StepChoice::All();
    options.unprofiled_ns = unprofiled_ns;
    for (const std::string& text : changes) {
      const Result<Change> change = ParseChange(text);
      EXPECT_TRUE(change) << text;
      if (change) options.changes.push_back(*change);
    }
    const Result<Whatif> whatif = ComputeWhatif(*Draw(), options);
    EXPECT_TRUE(whatif);
    return whatif ? *whatif : Whatif{};
  }
  // The step after one change, in microseconds.
  int64_t StepAfter(const std::string& change) const {
    const Whatif whatif = Ask({change});
    EXPECT_EQ(whatif.replay_error, 0);
    EXPECT_EQ(whatif.changes.at(0).saving_ns,
              whatif.replay_step_ns - whatif.changes[0].step_ns);
    EXPECT_LE(whatif.changes[0].low_ns, whatif.changes[0].saving_ns);
    EXPECT_GE(whatif.changes[0].high_ns, whatif.changes[0].saving_ns);
    return whatif.changes[0].step_ns / kUs;
  }

 private:
  struct Line {
    std::string track;
    int begin;
    int end;
    std::string what;
  };
  ReplayedProgram& Add(std::string track, int begin, int end,
                       std::string what) {
    lines_.push_back({std::move(track), begin, end, std::move(what)});
    return *this;
  }
  static std::string Range(int base, int begin, int end) {
    return std::to_string((base + begin) * kUs) + ".." +
           std::to_string((base + end) * kUs);
  }

  const int step_us_;
  const int steps_;
  int host_step_us_ = 0;
  int launches_ = 0;
  std::vector<Line> lines_;
};

// Ten short kernels, each launched when the one before is long done.
ReplayedProgram HostBound() {
  ReplayedProgram program(1000);
  for (int i = 0; i < 10; ++i) {
    const int at = 100 * i;
    program.Host(at + 1, at + 99, "op Operator");
    program.Kernel(at + 50, at + 58, at + 68, "small");
  }
  return program;
}

// The host launches ten long kernels in 100 us and begins the next step.
ReplayedProgram DeviceBound() {
  ReplayedProgram program(1000);
  program.HostStep(100);
  for (int i = 0; i < 10; ++i) {
    program.Kernel(10 * i, 100 * i + 20, 100 * i + 120, "long");
  }
  return program;
}

TEST(ReplayTest, HostBoundStepsFollowTheHost) {
  const ReplayedProgram program = HostBound();
  EXPECT_EQ(program.StepAfter("kernel:small=0.5"), 1000);
  EXPECT_EQ(program.StepAfter("kernel:small=0"), 1000);
  ExpectNear(program.StepAfter("host=0.5"), 500, 10);
  ExpectNear(program.StepAfter("op:op=0.5"), 510, 10);
}

TEST(ReplayTest, DeviceBoundStepsFollowTheDevice) {
  const ReplayedProgram program = DeviceBound();
  ExpectNear(program.StepAfter("kernel:long=0.5"), 500, 1);
  EXPECT_EQ(program.StepAfter("host=0.5"), 1000);
  // Then the host paces.
  ExpectNear(program.StepAfter("kernel:*=0.01"), 100, 11);
}

TEST(ReplayTest, SlowerIsPossible) {
  const Whatif whatif = DeviceBound().Ask({"kernel:long=2"});
  EXPECT_NEAR(static_cast<double>(whatif.changes[0].step_ns), 2e6, 2e4);
  EXPECT_LT(whatif.changes[0].saving_ns, 0);
}

TEST(ReplayTest, AGraphLaunchesOnce) {
  // Ten kernels of 10 us with a gap of a microsecond, and what a launch takes.
  EXPECT_LT(HostBound().StepAfter("graph"), 160);
  EXPECT_GT(HostBound().StepAfter("graph"), 100);
}

TEST(ReplayTest, SmallKernelsBecomeOne) {
  ReplayedProgram program(1000);
  program.Host(100, 900, "optimizer Optimization");
  for (int i = 0; i < 8; ++i) {
    program.Kernel(100 + 100 * i, 108 + 100 * i, 112 + 100 * i, "tiny");
  }
  // What was between the first launch and the last is gone.
  ExpectNear(program.StepAfter("fuse_small:optimizer"), 300, 2);
  ExpectNear(program.StepAfter("fuse_small"), 300, 2);
  const Whatif whatif = program.Ask({"fuse_small:backward"});
  EXPECT_EQ(whatif.changes[0].saving_ns, 0);
  EXPECT_NE(whatif.notes.back().find("nothing"), std::string::npos);
}

TEST(ReplayTest, ASynchronisingCallWaits) {
  ReplayedProgram program(1000);
  program.Kernel(0, 10, 610, "long");
  program.Host(10, 620, "aten::item Operator");
  program.Host(20, 615, "cudaStreamSynchronize CudaRuntime");
  // 380 us of host work follow.
  ExpectNear(program.StepAfter("kernel:long=0.5"), 700, 1);
  // Then the kernel paces the loop.
  ExpectNear(program.StepAfter("no_sync"), 600, 5);
  ExpectNear(program.StepAfter("op:aten::item=0"), 600, 5);
  ExpectNear(program.StepAfter("host=0.1"), 660, 10);
}

TEST(ReplayTest, OneThreadWaitsForTheOther) {
  ReplayedProgram program(1000);
  program.Kernel(100, 110, 120, "forward");
  program.HelperKernel(300, 310, 320, "backward");
  program.Helper(250, 800, "autograd::engine Operator");
  program.HelperKernel(780, 790, 795, "backward");
  program.Kernel(900, 910, 920, "optimizer");
  // The helper's work is on the way of the main thread.
  EXPECT_LT(program.StepAfter("op:autograd::engine=0.5"), 760);
  EXPECT_GT(program.StepAfter("op:autograd::engine=0.5"), 680);
}

// A collective of the host: the main thread waits inside it for a thread that
// exchanges the data.
TEST(ReplayTest, AWaitIsPartOfTheRangeAroundIt) {
  ReplayedProgram program(1000);
  program.Kernel(100, 110, 120, "forward");
  program.Host(150, 850, "gloo:all_reduce Operator");
  program.HelperKernel(300, 310, 320, "copy");
  program.HelperKernel(780, 790, 795, "copy");
  program.Kernel(900, 910, 920, "optimizer");
  ExpectNear(program.StepAfter("comm=0.5"), 650, 20);
  const Whatif whatif = program.Ask({"comm=0.8", "comm=0.9"});
  ExpectNear(whatif.changes.at(2).step_ns / kUs, 804, 20);
}

TEST(ReplayTest, ALoaderIsWaitedFor) {
  ReplayedProgram program(1000);
  program.Host(0, 600, "next Dataloader");
  program.Kernel(700, 710, 900, "step");
  EXPECT_EQ(program.StepAfter("data_ready"), 400);
}

TEST(ReplayTest, AFullQueueHoldsTheHostUp) {
  // Every launch returns when the kernel 80 before it is done.
  ReplayedProgram program(10000, 4);
  for (int i = 0; i < 100; ++i) {
    const std::string id = " correlation=" + std::to_string(i);
    program.Host(100 * i, 100 * i + 95, "cudaLaunchKernel CudaRuntime" + id);
    program.Stream(7, 100 * i + 8000, 100 * i + 8090, "k Kernel" + id);
  }
  EXPECT_LT(program.StepAfter("kernel:k=0.1"), 3500);
  EXPECT_EQ(program.StepAfter("host=0.5"), 10000);
}

TEST(ReplayTest, StreamsWaitForEachOther) {
  ReplayedProgram program(1000);
  program.Host(0, 5, "cudaLaunchKernel CudaRuntime correlation=1");
  program.Stream(7, 10, 500, "compute Kernel correlation=1");
  program.Host(6, 11, "cudaLaunchKernel CudaRuntime correlation=2");
  program.Stream(8, 502, 800, "ncclDevKernel_AllReduce Kernel correlation=2");
  program.Host(20, 990, "cudaDeviceSynchronize CudaRuntime");
  ExpectNear(program.StepAfter("kernel:compute=0.5"), 755, 2);
  ExpectNear(program.StepAfter("no_comm"), 702, 2);
  ExpectNear(program.StepAfter("comm=0.5"), 851, 2);
}

TEST(ReplayTest, TensorCoresHelpMatrixKernelsAlone) {
  ReplayedProgram program(1000);
  program.HostStep(50);
  program.Kernel(0, 10, 810, "ampere_sgemm_128x64_nn");
  program.Kernel(10, 811, 1005, "elementwise");
  ExpectNear(program.StepAfter("tensor_cores=0.25"), 400, 10);
  // The device is not named: half the time, and a note that says so.
  const Whatif whatif = program.Ask({"tensor_cores"});
  EXPECT_NEAR(static_cast<double>(whatif.changes[0].saving_ns), 4e5, 1e4);
  EXPECT_NE(whatif.notes.at(0).find("does not name"), std::string::npos);
}

TEST(ReplayTest, TheRecorderIsTakenOut) {
  // Of each 100 us, the recorder took 8: d for an operator, d for a call, and
  // 33 d by making all of it slower.
  const Whatif whatif = HostBound().Ask({"host=0.5"}, 920 * kUs);
  EXPECT_NEAR(whatif.recorder_ns, 8000.0 / 35, 10);
  EXPECT_EQ(whatif.unprofiled_step_ns, 920 * kUs);
  EXPECT_NEAR(*whatif.slow_down, 1000.0 / 920, 1e-9);
  EXPECT_NEAR(whatif.changes[0].saving_ratio, 0.5, 0.02);
}

TEST(ReplayTest, SeveralChangesComeOneByOneAndTogether) {
  ReplayedProgram program(1000);
  program.Host(0, 600, "next Dataloader");
  program.Host(600, 1000, "op Operator");
  const Whatif whatif = program.Ask({"data_ready", "op:op=0.5", "no_comm"});
  ASSERT_EQ(whatif.changes.size(), 4u);
  EXPECT_EQ(whatif.changes[0].saving_ns, 600 * kUs);
  EXPECT_EQ(whatif.changes[1].saving_ns, 200 * kUs);
  EXPECT_EQ(whatif.changes[2].saving_ns, 0);
  EXPECT_EQ(whatif.changes[3].change, "all");
  EXPECT_EQ(whatif.changes[3].saving_ns, 800 * kUs);
}

TEST(ReplayTest, WithoutMarksTheWindowIsReplayed) {
  WhatifOptions options;
  options.changes.push_back(*ParseChange("kernel:k=0.5"));
  const auto trace = TraceFromText(R"(
    thread 1
      0..5000 cudaLaunchKernel CudaRuntime correlation=1
    stream 7 GPU:0
      8000..108000 k Kernel correlation=1
  )");
  const Result<Whatif> whatif = ComputeWhatif(*trace, options);
  ASSERT_TRUE(whatif);
  EXPECT_EQ(whatif->steps, 0u);
  EXPECT_EQ(whatif->recorded_step_ns, 108'000);
  EXPECT_EQ(whatif->changes.at(0).saving_ns, 50'000);
}

TEST(ReplayTest, ClocksThatDisagreeAreSurvived) {
  WhatifOptions options;
  options.changes.push_back(*ParseChange("host=0.5"));
  const auto trace = TraceFromText(R"(
    thread 1
      0..1000000 ProfileStep#0 ProfileStep
        900000..905000 cudaLaunchKernel CudaRuntime correlation=1
      1000000..2000000 ProfileStep#1 ProfileStep
        1900000..1905000 cudaLaunchKernel CudaRuntime correlation=2
    stream 7 GPU:0
      100..200 k Kernel correlation=1
      1000100..1000200 k Kernel correlation=2
  )");
  const Result<Whatif> whatif = ComputeWhatif(*trace, options);
  ASSERT_TRUE(whatif);
  EXPECT_NEAR(whatif->replay_error, 0, 0.001);
  EXPECT_NEAR(whatif->changes.at(0).saving_ratio, 0.5, 0.01);
}

TEST(ReplayTest, NothingToReplay) {
  WhatifOptions options;
  options.changes.push_back(*ParseChange("no_sync"));
  const Result<Whatif> whatif = ComputeWhatif(*TraceFromText(""), options);
  ASSERT_TRUE(whatif);
  EXPECT_EQ(whatif->changes.at(0).saving_ns, 0);
  EXPECT_FALSE(whatif->notes.empty());
}

TEST(ReplayTest, StepsThatAreNotThereAreNamed) {
  WhatifOptions options;
  options.steps = *ParseStepChoice("20:30");
  options.changes.push_back(*ParseChange("no_sync"));
  const Result<Whatif> whatif = ComputeWhatif(*HostBound().Draw(), options);
  ASSERT_FALSE(whatif);
  EXPECT_NE(whatif.error().message.find("from 0 to 5"), std::string::npos);
}

// Whatever a file holds: times are finite, and a factor of 1 changes nothing.
TEST(ReplayTest, OddTraces) {
  for (uint32_t seed = 0; seed < 400; ++seed) {
    const auto trace = RandomTrace(seed).Make();
    WhatifOptions options;
    options.steps = StepChoice::All();
    for (const char* text :
         {"host=1", "comm=1", "kernel:*=1", "op:*=1", "self:*=1", "data_ready",
          "no_sync", "graph", "fuse_small", "tensor_cores", "no_comm", "op:*=0",
          "host=0"}) {
      options.changes.push_back(*ParseChange(text));
    }
    options.unprofiled_ns =
        seed % 3 == 0 ? std::optional<int64_t>(seed + 1) : std::nullopt;
    const Result<Whatif> whatif = ComputeWhatif(*trace, options);
    ASSERT_TRUE(whatif) << seed;
    for (size_t i = 0; i < whatif->changes.size(); ++i) {
      const WhatifChange& change = whatif->changes[i];
      EXPECT_GE(change.step_ns, 0) << seed << " " << change.change;
      EXPECT_LT(change.step_ns, int64_t{1} << 40) << seed;
      EXPECT_LE(change.low_ns, change.high_ns) << seed;
      if (i < 4) {
        EXPECT_EQ(change.saving_ns, 0) << seed << " " << change.change;
      }
    }
  }
}

}  // namespace
}  // namespace stepscope
