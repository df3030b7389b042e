// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string_view>

#include "analysis/summary.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope {
namespace {

struct Replayed {
  explicit Replayed(std::string_view text, SummaryOptions options = {})
      : trace(TraceFromText(text)), summary(ComputeSummary(*trace, options)) {}

  const OperatorRow& Op(std::string_view name) const {
    for (const OperatorRow& row : summary.operators.at(0).rows)
      if (row.name == name) return row;
    ADD_FAILURE() << "no operator " << name;
    static const OperatorRow none;
    return none;
  }

  std::shared_ptr<const Trace> trace;
  Summary summary;
};

// Captured once, at 20 and 40; replayed twice. The host spends no time on the
// operators then.
TEST(ReplayedCallsTest, AReplayCountsForWhatItWasCapturedIn) {
  SummaryOptions options;
  options.views = kOperatorView | kUserDefinedView | kPercentileView;
  const Replayed c(R"(
thread 1
  0..100 model UserDefined
    10..60 aten::linear Operator
      15..35 aten::mm Operator
        20..30 cudaLaunchKernel CudaRuntime graph_node=7
      40..50 cudaLaunchKernel CudaRuntime graph_node=8
  200..240 replay UserDefined
    210..220 cudaGraphLaunch CudaRuntime correlation=1
  300..340 replay UserDefined
    310..320 cudaGraphLaunch CudaRuntime correlation=2
stream 7 GPU:0
  230..260 gemm Kernel correlation=1 graph_node=7
  260..265 bias Kernel correlation=1 graph_node=8
  330..350 gemm Kernel correlation=2 graph_node=7
  350..353 bias Kernel correlation=2 graph_node=8
)",
                   options);
  const OperatorRow& linear = c.Op("aten::linear");
  EXPECT_EQ(linear.calls, 3u);
  EXPECT_EQ(linear.cpu.total_ns, 50);
  EXPECT_EQ(linear.gpu.total_ns, 30 + 5 + 20 + 3);
  EXPECT_EQ(linear.gpu.max_ns, 35);
  EXPECT_EQ(linear.gpu.ratio, 1);
  EXPECT_EQ(linear.self_gpu_ns, 5 + 3);
  EXPECT_EQ(linear.gpu_spread.p50_ns, 23);
  const OperatorRow& mm = c.Op("aten::mm");
  EXPECT_EQ(mm.calls, 3u);
  EXPECT_EQ(mm.gpu.total_ns, 50);
  EXPECT_EQ(mm.self_gpu_ns, 50);
  ASSERT_EQ(mm.device.size(), 1u);
  EXPECT_EQ(mm.device[0].name, "gemm");
  EXPECT_EQ(mm.device[0].calls, 2u);
  ASSERT_EQ(c.summary.user_defined.size(), 1u);
  for (const RangeRow& row : c.summary.user_defined[0].rows) {
    EXPECT_EQ(row.calls, row.name == "model" ? 3u : 2u) << row.name;
    EXPECT_EQ(row.gpu.total_ns, 58) << row.name;
  }
}

// What is around the launch has the work of the replay once, not once more by
// its name.
TEST(ReplayedCallsTest, AReplayInARangeOfTheSameNameCountsOnce) {
  const Replayed c(R"(
thread 1
  0..100 step Operator
    10..60 aten::mm Operator
      20..30 cudaLaunchKernel CudaRuntime graph_node=7
  200..240 step Operator
    210..220 cudaGraphLaunch CudaRuntime correlation=1
stream 7 GPU:0
  230..260 gemm Kernel correlation=1 graph_node=7
)");
  EXPECT_EQ(c.Op("step").calls, 2u);
  EXPECT_EQ(c.Op("step").gpu.total_ns, 30);
  EXPECT_EQ(c.Op("step").self_gpu_ns, 0);
  EXPECT_EQ(c.Op("aten::mm").gpu.total_ns, 30);
  EXPECT_EQ(c.Op("aten::mm").gpu.ratio, 1);
}

}  // namespace
}  // namespace stepscope
