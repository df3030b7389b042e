// SPDX-License-Identifier: Apache-2.0
#include "analysis/warmup.h"

#include <gtest/gtest.h>

#include <vector>

#include "analysis/set_up.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope {
namespace {

size_t Count(std::vector<int64_t> periods) {
  return CountWarmup(periods, [](size_t) { return 0; });
}
// Setting up took `share` of each step but the last.
size_t CountSetUp(std::vector<int64_t> periods, double share = 0.9) {
  return CountWarmup(periods, [&](size_t i) {
    if (i + 1 == periods.size()) return int64_t{0};
    return static_cast<int64_t>(static_cast<double>(periods[i]) * share);
  });
}

TEST(WarmupTest, LongFirstStepsAre) {
  EXPECT_EQ(Count({41, 10, 10, 11, 10, 9, 10}), 1u);
  EXPECT_EQ(Count({900, 400, 20, 10, 10, 11, 10, 9, 10}), 3u);
  EXPECT_EQ(Count({100, 10, 11}), 1u);
}

TEST(WarmupTest, EqualStepsAreNot) {
  EXPECT_EQ(Count({}), 0u);
  EXPECT_EQ(Count({10, 10, 10, 10}), 0u);
  EXPECT_EQ(Count({0, 0, 0, 0}), 0u);
  EXPECT_EQ(Count({11, 10, 9, 10, 11, 10, 9}), 0u);
}

TEST(WarmupTest, ShortFirstStepsAreNot) {
  EXPECT_EQ(Count({1, 10, 10, 10, 10}), 0u);
}

TEST(WarmupTest, SlowStepInTheMiddleIsAnOutlier) {
  EXPECT_EQ(Count({10, 10, 90, 10, 10, 10, 10, 10}), 0u);
  EXPECT_EQ(Count({80, 10, 10, 90, 10, 10, 10, 10}), 1u);
}

TEST(WarmupTest, UnsteadyStepsHideIt) {
  EXPECT_EQ(Count({17, 14, 36, 14, 13, 36}), 0u);
  EXPECT_EQ(Count({82, 58, 55, 57, 62, 85, 82, 74}), 0u);
  // Of two kinds, the first of the longer one.
  EXPECT_EQ(Count({86, 42, 82, 82, 41, 103, 39, 81, 40, 35, 41}), 0u);
}

TEST(WarmupTest, StepsThatTheUserChoseCountUnlessTheySetUp) {
  const std::vector<int64_t> noisy = {31, 28, 22, 19, 18, 10, 11, 10, 9, 10};
  EXPECT_EQ(Count(noisy), 5u);
  const auto none = [](size_t) { return int64_t{0}; };
  EXPECT_EQ(CountWarmup(noisy, none, /*chosen=*/true), 0u);
  const auto compiles = [](size_t i) { return int64_t{i == 0 ? 20 : 0}; };
  EXPECT_EQ(CountWarmup(noisy, compiles, /*chosen=*/true), 1u);
}

TEST(WarmupTest, OneOrTwoStepsSayNothing) {
  EXPECT_EQ(Count({1000}), 0u);
  EXPECT_EQ(Count({1000, 10}), 0u);
  EXPECT_EQ(CountSetUp({1000}), 0u);
}

TEST(WarmupTest, TwoStepsAreToldApartByCompilation) {
  EXPECT_EQ(CountSetUp({1000, 10}), 1u);
  EXPECT_EQ(CountSetUp({12, 10}), 0u);
}

TEST(WarmupTest, AtMostHalfByLengthAlone) {
  EXPECT_EQ(Count({90, 90, 90, 10, 10}), 2u);
  EXPECT_EQ(Count({90, 90, 90, 90, 10}), 0u);
}

TEST(WarmupTest, MoreThanHalfWhereCompilationExplainsIt) {
  EXPECT_EQ(CountSetUp({900, 800, 700, 10, 10}), 3u);
  EXPECT_EQ(CountSetUp({900, 10, 700, 10, 10, 10}), 1u);
}

TEST(WarmupTest, CompilationMakesLessEnough) {
  EXPECT_EQ(Count({13, 9, 10, 12, 9, 10, 12}), 0u);
  EXPECT_EQ(CountSetUp({13, 9, 10, 12, 9, 10, 12}), 1u);
  EXPECT_EQ(CountSetUp({13, 9, 10, 12, 9, 10, 12}, 0.01), 0u);
}

TEST(WarmupTest, TheLastStepIsNeverLeftOut) {
  EXPECT_EQ(CountSetUp({900, 500, 200, 100}), 3u);
}

TEST(WarmupTest, ProgramThatNeverSettles) {
  const std::vector<int64_t> periods = {900, 800, 700, 600};
  EXPECT_EQ(CountWarmup(periods, [&](size_t i) { return periods[i]; }), 0u);
}

TEST(SetUpTest, CompilersLoadersAndAllocations) {
  EXPECT_TRUE(IsSetUp("cudaMalloc"));
  EXPECT_TRUE(IsSetUp("cuModuleLoadDataEx"));
  EXPECT_TRUE(IsSetUp("torch/_dynamo/convert_frame.py(682): _compile"));
  EXPECT_TRUE(IsSetUp("compile_fx_inner"));
  EXPECT_FALSE(IsSetUp("Torch-Compiled Region: 0/0"));
  EXPECT_FALSE(IsSetUp("CompiledFunctionBackward"));
  EXPECT_FALSE(IsSetUp("aten::mm"));
  EXPECT_FALSE(IsSetUp("cudaLaunchKernel"));
}

TEST(SetUpTest, NestedCallsCountOnce) {
  const auto trace = TraceFromText(R"(
    thread 1 main
      0..10 cudaMalloc CudaRuntime
      100..200 step ProfileStep
        110..150 compile_fx
          120..140 compile_fx_inner
        160..170 cudaMalloc CudaRuntime
      200..250 compile_fx)");
  const EventTree tree(*trace);
  EXPECT_EQ(SetUpTime(tree, 0, {100, 200}), 50);
}

}  // namespace
}  // namespace stepscope
