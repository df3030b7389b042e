// SPDX-License-Identifier: Apache-2.0
#include "report/fluid_report.h"

#include <gtest/gtest.h>

#include "trace/trace_from_text_test_support.h"

namespace stepscope {
namespace {

// The totals of a published report: conv2d of 8 calls, 98.3 % of the time.
TEST(FluidReportTest, NumbersHaveSixDigitsAndRatiosAreFractions) {
  const auto trace = TraceFromText(R"(
    thread 5
      0..127076000 conv2d
      130000000..130304303 conv2d
      131000000..131337616 conv2d
      132000000..132337616 conv2d
      133000000..133337616 conv2d
      134000000..134337617 conv2d
      135000000..135337616 conv2d
      136000000..136337616 conv2d
      140000000..142195200 mean)");
  FluidOptions options;
  options.state = FluidState::kCpu;
  options.sort = FluidSort::kTotal;
  EXPECT_EQ(RenderFluidReport(*trace, options),
            "\n------------------------->     Profiling Report     "
            "<-------------------------\n\n"
            "Place: CPU\nTime unit: ms\n"
            "Sorted by total time in descending order in the same thread\n\n"
            "Event              Calls       Total       Min.        Max.       "
            " Ave.        Ratio.      \n"
            "thread0::conv2d    8           129.406     0.304303    127.076    "
            " 16.1758     0.983319    \n"
            "thread0::mean      1           2.1952      2.1952      2.1952     "
            " 2.1952      0.0166807   \n\n");
}

TEST(FluidReportTest, SeveralThreadsAreMergedFirstThenNewestFirst) {
  const auto trace = TraceFromText(R"(
    thread 9
      0..2000000 op Operator
        500000..600000 launch CudaRuntime correlation=1
    thread 4
      3000000..4000000 op Operator
    stream 1 GPU:0
      1000000..4000000 k Kernel correlation=1)");
  const std::string text = RenderFluidReport(*trace, {});
  const size_t merged = text.find("Note! This Report merge all thread");
  const size_t newest = text.find("thread1::op");
  const size_t oldest = text.find("thread0::op");
  ASSERT_NE(merged, text.npos);
  ASSERT_NE(newest, text.npos);
  EXPECT_LT(merged, newest);
  EXPECT_LT(newest, oldest);
  // 2 ms CPU and 3 ms GPU of thread 0, 1 ms CPU of thread 1.
  EXPECT_NE(text.find("op    2           6           3.000000 (0.500000)     "
                      "3.000000 (0.500000)     1           5           3 "),
            text.npos)
      << text;
  EXPECT_EQ(text.find("launch"), text.npos);
}

std::string Order(const Trace& trace, FluidSort sort) {
  FluidOptions options;
  options.sort = sort;
  const std::string text = RenderFluidReport(trace, options);
  std::string order;
  for (size_t at = text.find("thread0::"); at != text.npos;
       at = text.find("thread0::", at + 1)) {
    order += text[at + 9];
  }
  return order;
}

TEST(FluidReportTest, SortKeys) {
  const auto trace = TraceFromText(R"(
    0..100 a
      10..20 b
    200..203 c
    210..213 c
    220..223 c)");
  EXPECT_EQ(Order(*trace, FluidSort::kFirstEnd), "bac");
  EXPECT_EQ(Order(*trace, FluidSort::kCalls), "cab");
  EXPECT_EQ(Order(*trace, FluidSort::kTotal), "abc");
  EXPECT_EQ(Order(*trace, FluidSort::kMin), "abc");
  EXPECT_EQ(Order(*trace, FluidSort::kAve), "abc");
  EXPECT_EQ(Order(*trace, FluidSort::kMax), "abc");
}

TEST(FluidReportTest, EmptyTraceAndSpellings) {
  EXPECT_NE(RenderFluidReport(*TraceFromText(""), {}).find("Place: All"),
            std::string::npos);
  EXPECT_EQ(ParseFluidState("GPU"), FluidState::kGpu);
  EXPECT_EQ(ParseFluidState("cuda"), std::nullopt);
  EXPECT_EQ(ParseFluidSort("calls"), FluidSort::kCalls);
  EXPECT_EQ(ParseFluidSort("call"), std::nullopt);
}

}  // namespace
}  // namespace stepscope
