// SPDX-License-Identifier: Apache-2.0
#include "analysis/replay/critical_path.h"

#include <gtest/gtest.h>

#include <string>

#include "analysis/random_trace.h"
#include "analysis/replay/graph.h"
#include "analysis/replay/simulate.h"
#include "base/whole_or_part.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope {
namespace {

struct Found {
  explicit Found(std::shared_ptr<const Trace> of,
                 const StepChoice& choice = StepChoice::All())
      : trace(std::move(of)),
        tree(*trace),
        steps(tree),
        names(trace->strings()),
        graph(BuildReplayGraph(tree, steps, names)),
        path(FindCriticalPath(tree, graph, names, choice)) {}

  // One line for each piece: time on the path, category, name.
  std::string Text(size_t step = 0) const {
    std::string text;
    for (size_t i = path.steps[step].first; i < path.steps[step].last; ++i) {
      const PathPiece& piece = path.pieces[i];
      text += std::to_string(piece.dur_ns) + " ";
      text += PathCategoryName(piece.category);
      text += " ";
      text += NameOf(piece, *trace);
      text += "\n";
    }
    return text;
  }

  std::shared_ptr<const Trace> trace;
  EventTree tree;
  StepTable steps;
  NameClasses names;
  ReplayGraph graph;
  CriticalPath path;
};

// A step that launches a kernel and waits for it.
constexpr const char* kSynced = R"(
thread 7 main
  0..100000 ProfileStep#0 ProfileStep
    0..10000 next Dataloader
      2000..8000 collate Operator
    12000..30000 matmul Operator
      20000..25000 cudaLaunchKernel CudaRuntime correlation=1
    40000..80000 cudaDeviceSynchronize CudaRuntime
    85000..90000 print Operator
stream 3 GPU:0
  30000..78000 gemm Kernel correlation=1
)";

TEST(CriticalPath, GoesThroughHostLaunchKernelAndWait) {
  const Found found(TraceFromText(kSynced));
  ASSERT_EQ(found.path.steps.size(), 1u);
  EXPECT_EQ(found.Text(),
            "10000 loader next\n"
            "2000 operator Python or host code outside of events\n"
            "8000 operator matmul\n"
            "5000 launch cudaLaunchKernel\n"
            "5000 launch from the launch to the work\n"
            "48000 kernel gemm\n"
            "2000 sync cudaDeviceSynchronize\n"
            "5000 operator Python or host code outside of events\n"
            "5000 operator print\n"
            "10000 operator Python or host code outside of events\n");
  EXPECT_EQ(found.path.total_ns, 100'000);
  EXPECT_DOUBLE_EQ(found.path.replay_error, 0);
}

TEST(CriticalPath, PiecesKnowWhereTheyWereRecorded) {
  const Found found(TraceFromText(kSynced));
  int64_t now = 0;
  for (const PathPiece& piece : found.path.pieces) {
    EXPECT_EQ(piece.at_ns, now);
    now += piece.dur_ns;
  }
}

// The host launches all and is done long before the device.
TEST(CriticalPath, FollowsAFullQueueOnTheDevice) {
  const Found found(TraceFromText(R"(
thread 7 main
  0..60000 ProfileStep#0 ProfileStep
    10000..14000 cudaLaunchKernel CudaRuntime correlation=1
    20000..24000 cudaLaunchKernel CudaRuntime correlation=2
    30000..34000 cudaLaunchKernel CudaRuntime correlation=3
stream 3 GPU:0
  15000..100000 a Kernel correlation=1
  101000..200000 ncclDevKernel_AllReduce Kernel correlation=2
  201000..300000 "Memcpy DtoD" Memcpy correlation=3
)"));
  EXPECT_EQ(found.Text(),
            "10000 operator Python or host code outside of events\n"
            "4000 launch cudaLaunchKernel\n"
            "1000 launch from the launch to the work\n"
            "85000 kernel a\n"
            "1000 idle gap between kernels of a full queue\n"
            "99000 communication ncclDevKernel_AllReduce\n"
            "1000 idle gap between kernels of a full queue\n"
            "99000 copy Memcpy DtoD\n");
}

// Steps of 10 us on the host and 100 us on the device.
TEST(CriticalPath, OfADeviceThatRunsBehindIsItsWork) {
  std::string host = "thread 7 main\n";
  std::string device = "stream 3 GPU:0\n";
  for (int i = 0; i < 5; ++i) {
    const std::string id = std::to_string(i);
    const auto at = [](int us) { return std::to_string(us) + "000"; };
    host += at(10 * i) + ".." + at(10 * i + 10) + " ProfileStep#" + id +
            " ProfileStep\n" + at(10 * i + 2) + ".." + at(10 * i + 5) +
            " cudaGraphLaunch CudaRuntime correlation=" + id + "\n";
    device += at(10 + 100 * i) + ".." + at(109 + 100 * i) +
              " gemm Kernel correlation=" + id + "\n";
  }
  const Found found(TraceFromText(host + device));
  ASSERT_EQ(found.path.steps.size(), 5u);
  for (const PathStep& step : found.path.steps) {
    EXPECT_EQ(step.period_ns, step.index == 4 ? 99'000 : 100'000);
  }
  EXPECT_EQ(found.Text(2),
            "99000 kernel gemm\n"
            "1000 idle gap between kernels of a full queue\n");
}

// The stepping thread waits for a thread that exchanges gradients.
TEST(CriticalPath, NamesWhatAnotherThreadDid) {
  const Found found(TraceFromText(R"(
thread 7 main
  0..500000 ProfileStep#0 ProfileStep
    10000..20000 backward Operator
    480000..490000 step Operator
thread 8 autograd
  25000..60000 mm Operator
    30000..40000 cudaLaunchKernel CudaRuntime correlation=1
    50000..55000 cudaLaunchKernel CudaRuntime correlation=2
thread 9 gloo
  100000..450000 gloo:all_reduce UserDefined
stream 3 GPU:0
  45000..50000 a Kernel correlation=1
  60000..65000 b Kernel correlation=2
)"));
  const std::string text = found.Text();
  EXPECT_NE(text.find("350000 communication gloo:all_reduce\n"
                      "30000 idle hand-over between threads\n"),
            text.npos)
      << text;
}

TEST(CriticalPath, WithoutStepsIsThatOfTheWindow) {
  const Found found(TraceFromText(R"(
thread 7 main
  0..1000 cudaLaunchKernel CudaRuntime correlation=1
stream 3 GPU:0
  2000..9000 a Kernel correlation=1
)"));
  EXPECT_FALSE(found.path.has_steps);
  ASSERT_EQ(found.path.steps.size(), 1u);
  EXPECT_EQ(found.path.total_ns, 9000);
  EXPECT_EQ(found.Text(),
            "1000 launch cudaLaunchKernel\n"
            "1000 launch from the launch to the work\n"
            "7000 kernel a\n");
}

TEST(CriticalPath, OfAnEmptyTraceIsEmpty) {
  const Found found(TraceFromText(""));
  EXPECT_TRUE(found.path.steps.empty());
  EXPECT_TRUE(found.path.pieces.empty());
  EXPECT_EQ(found.path.total_ns, 0);
}

TEST(CriticalPath, LeavesStepsOut) {
  StepChoice choice;
  choice.kind = StepChoice::Kind::kRange;
  choice.begin = 1;
  const Found found(TraceFromText(R"(
thread 7 main
  0..100 ProfileStep#0 ProfileStep
  100..300 ProfileStep#1 ProfileStep
    120..180 add Operator
)"),
                    choice);
  ASSERT_EQ(found.path.steps.size(), 1u);
  EXPECT_EQ(found.path.steps[0].index, 1);
  EXPECT_EQ(found.path.left_out, std::vector<int64_t>{0});
  EXPECT_EQ(found.Text(),
            "20 operator Python or host code outside of events\n"
            "60 operator add\n"
            "120 operator Python or host code outside of events\n");
}

// Whatever the trace, the pieces tile the replayed periods.
TEST(CriticalPathProperty, AddsUpToTheSteps) {
  for (uint32_t seed = 0; seed < WholeOrPart(3000u, 750u); ++seed) {
    SCOPED_TRACE(seed);
    const Found found(RandomTrace(seed).Make());
    ReplayTimes times;
    Simulate(found.graph, times);
    const StepPeriods periods = PeriodsOf(found.graph, times);
    ASSERT_EQ(found.path.steps.size(), periods.size());
    int64_t total = 0;
    for (size_t i = 0; i < periods.size(); ++i) {
      const PathStep& step = found.path.steps[i];
      int64_t sum = 0;
      for (size_t j = step.first; j < step.last; ++j) {
        const PathPiece& piece = found.path.pieces[j];
        ASSERT_GT(piece.dur_ns, 0);
        ASSERT_EQ(piece.row == kNoRow, piece.cause != PathCause::kEvent);
        sum += piece.dur_ns;
      }
      ASSERT_EQ(sum, periods[i]) << "step " << i;
      total += sum;
    }
    ASSERT_EQ(total, found.path.total_ns);
  }
}

}  // namespace
}  // namespace stepscope
