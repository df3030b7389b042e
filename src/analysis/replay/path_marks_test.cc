// SPDX-License-Identifier: Apache-2.0
#include "analysis/replay/path_marks.h"

#include <gtest/gtest.h>

#include <string>

#include "analysis/random_trace.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope {
namespace {

constexpr const char* kTrace = R"(
thread 7 main
  0..100000 ProfileStep#0 ProfileStep
    12000..30000 matmul Operator
      20000..25000 cudaLaunchKernel CudaRuntime correlation=1
    40000..80000 cudaDeviceSynchronize CudaRuntime
flow 20 5 begin arrow
flow 30 5 end arrow
stream 3 GPU:0
  30000..78000 gemm Kernel correlation=1
)";

TEST(PathMarks, AddARowAndArrows) {
  const auto trace = TraceFromText(kTrace);
  const auto marked = AddCriticalPath(*trace, StepChoice::All());
  ASSERT_TRUE(marked);
  const Trace& with = **marked;
  ASSERT_EQ(with.tracks().size(), trace->tracks().size() + 1);
  const Track& row = with.tracks().back();
  EXPECT_EQ(with.str(row.name), "critical path");
  std::string drawn;
  for (Row at = row.first; at < row.last; ++at) {
    EXPECT_TRUE(with.flags()[at] & kEventInferred);
    drawn += std::to_string(with.start_ns()[at]) + ".." +
             std::to_string(with.end_ns(at)) + " " +
             std::string(with.str(with.name()[at])) + " " +
             std::string(with.str(with.args_of(at)[0].text)) + "\n";
  }
  EXPECT_EQ(drawn,
            "0..12000 Python or host code outside of events operator\n"
            "12000..20000 matmul operator\n"
            "20000..25000 cudaLaunchKernel launch\n"
            "25000..30000 from the launch to the work launch\n"
            "30000..78000 gemm kernel\n"
            "78000..80000 cudaDeviceSynchronize sync\n"
            "80000..100000 Python or host code outside of events operator\n");
  std::string arrows;
  for (const Flow& flow : with.flows()) {
    arrows += std::to_string(flow.time_ns) + " " + std::to_string(flow.id) +
              " " + std::to_string(flow.track) + " " +
              std::string(with.str(flow.name)) + "\n";
  }
  EXPECT_EQ(arrows,
            "20 5 0 arrow\n"
            "30 5 0 arrow\n"
            "24999 6 0 critical path\n"
            "30000 6 1 critical path\n"
            "77999 7 1 critical path\n"
            "78000 7 0 critical path\n");
}

TEST(PathMarks, KeepAllThatWasThere) {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    const auto trace = RandomTrace(seed).Make();
    const auto marked = AddCriticalPath(*trace, StepChoice::All());
    ASSERT_TRUE(marked);
    const std::string before = TraceToText(*trace);
    ASSERT_EQ(TraceToText(**marked).substr(0, before.size()), before);
    ASSERT_EQ((*marked)->links().size(), trace->links().size());
    ASSERT_EQ((*marked)->begin_ns(), trace->begin_ns());
    ASSERT_EQ((*marked)->end_ns(), trace->end_ns());
  }
}

}  // namespace
}  // namespace stepscope
