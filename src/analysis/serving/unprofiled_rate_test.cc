// SPDX-License-Identifier: Apache-2.0
#include "analysis/serving/unprofiled_rate.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "analysis/summary.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope {
namespace {

// Ten steps of about 1 ms, of each of which the mark is half: `marks` in each.
std::string SteppedServer(
    const std::string& marks = "execute_context_0(0)_generation_4(4)",
    bool steps = true) {
  std::string text = "thread 1 engine\n";
  for (int i = 0; i < 10; ++i) {
    const int64_t at = i * 1'000'000;
    const auto event = [&](int64_t begin, int64_t end,
                           const std::string& rest) {
      text += std::to_string(at + begin) + ".." + std::to_string(at + end) +
              " " + rest + "\n";
    };
    if (steps)
      event(0, 999'000, "ProfileStep#" + std::to_string(i) + " ProfileStep");
    event(100, 500'000, marks);
  }
  return text;
}

constexpr const char* kTimedSteps =
    "process 1 unprofiled_times_ns=\"900000 500000 501000 499000 500000 "
    "500000 500000 500000\"\n";

IterationTable RatesOf(const std::string& text,
                       std::optional<int64_t> stated = std::nullopt) {
  static std::shared_ptr<const Trace> trace;  // names live as long
  trace = TraceFromText(text);
  SummaryOptions options;
  options.views = kIterationView;
  options.unprofiled_ns = stated;
  return ComputeSummary(*trace, options).iterations;
}

TEST(UnprofiledRateTest, IsTheRecordedOneWithoutTheSlowDown) {
  const IterationTable table = RatesOf(kTimedSteps + SteppedServer());
  ASSERT_EQ(table.kinds.size(), 1u);
  EXPECT_DOUBLE_EQ(*table.kinds[0].tokens_per_s, 4000);
  ASSERT_TRUE(table.kinds[0].unprofiled_tokens_per_s);
  EXPECT_DOUBLE_EQ(*table.kinds[0].unprofiled_tokens_per_s, 8000);
  // Stated beside the steps, it counts for the steps.
  const IterationTable stated = RatesOf(kTimedSteps + SteppedServer(), 250'000);
  EXPECT_DOUBLE_EQ(*stated.kinds[0].unprofiled_tokens_per_s, 16000);
  EXPECT_DOUBLE_EQ(*stated.kinds[0].tokens_per_s, 4000);
}

TEST(UnprofiledRateTest, IsUnknownWhereThePeriodIs) {
  const auto rate = [](const std::string& text) {
    const IterationTable table = RatesOf(text);
    EXPECT_FALSE(table.kinds.empty());
    return table.kinds.front().unprofiled_tokens_per_s;
  };
  EXPECT_FALSE(rate(SteppedServer()));
  // Too few, and longer than the recorded ones.
  EXPECT_FALSE(rate("process 1 unprofiled_times_ns=\"500000 500000\"\n" +
                    SteppedServer()));
  EXPECT_FALSE(
      rate("process 1 unprofiled_times_ns=\"2000000 2000000 2000000 "
           "2000000 2000000\"\n" +
           SteppedServer()));
  // Nothing of tokens is known.
  EXPECT_FALSE(rate(kTimedSteps + SteppedServer("capture_32_FULL")));
}

TEST(UnprofiledRateTest, StepsSayNothingOfIterationsThatTheyAreNot) {
  const std::string whole = SteppedServer();
  // Two kinds: the median step may be of either.
  const IterationTable mixed =
      RatesOf(kTimedSteps + whole +
              "10000000..10400000 execute_context_1(8)_generation_4(4)\n"
              "10000000..10999000 ProfileStep#10 ProfileStep\n");
  ASSERT_EQ(mixed.kinds.size(), 2u);
  for (const IterationKindRow& row : mixed.kinds)
    EXPECT_FALSE(row.unprofiled_tokens_per_s);
  // Two iterations in one step, one in none, a step without one.
  for (const char* more :
       {"600000..700000 execute_context_0(0)_generation_4(4)\n",
        "10000000..10400000 execute_context_0(0)_generation_4(4)\n",
        "10000000..10999000 ProfileStep#10 ProfileStep\n"}) {
    const IterationTable table = RatesOf(kTimedSteps + whole + more);
    ASSERT_EQ(table.kinds.size(), 1u);
    EXPECT_FALSE(table.kinds[0].unprofiled_tokens_per_s) << more;
  }
}

TEST(UnprofiledRateTest, WithoutStepsOnlyTheUserKnows) {
  const std::string text =
      kTimedSteps + SteppedServer("\"step[DECODE bs=2]\"", false);
  EXPECT_FALSE(RatesOf(text).kinds[0].unprofiled_tokens_per_s);
  const IterationTable stated = RatesOf(text, 100'000);
  EXPECT_DOUBLE_EQ(*stated.kinds[0].tokens_per_s, 2000);
  EXPECT_DOUBLE_EQ(*stated.kinds[0].unprofiled_tokens_per_s, 20000);
}

}  // namespace
}  // namespace stepscope
