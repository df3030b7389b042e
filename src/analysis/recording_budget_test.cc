// SPDX-License-Identifier: Apache-2.0
#include "analysis/recording_budget.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/step_choice.h"
#include "base/text.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope {
namespace {

// Six steps, of which those in `full` were recorded in full.
std::string Loop(const std::vector<int>& full, std::string_view process = "") {
  std::string text = "process 1 " + std::string(process) + "\nthread 1 main\n";
  for (int step = 0; step < 6; ++step) {
    const bool is_full =
        std::find(full.begin(), full.end(), step) != full.end();
    const int begin = 100 + step * 100;
    text += Format("counter %d \"recorded in full\" %d\n", begin - 2, is_full);
    text += Format("counter %d \"share recorded in full\" 0.25\n", begin - 1);
    text +=
        Format("%d..%d ProfileStep#%d ProfileStep\n", begin, begin + 90, step);
    if (is_full)
      text += Format("%d..%d aten::mm Operator\n", begin + 10, begin + 80);
  }
  return text;
}

constexpr const char* kCost = R"(
  counter 650 "cost of recording" 0.01625
  counter 650 "cost of recording, at least" 0.011
  counter 650 "cost of recording, at most" 0.0218
)";

StepSelection Settled(const std::string& text) {
  auto selection = SelectSteps(TraceFromText(text), StepChoice::Settled());
  EXPECT_TRUE(selection);
  return selection ? *selection : StepSelection();
}

TEST(RecordingBudget, IsNotOfOtherTraces) {
  const auto trace = TraceFromText("thread 1 main\n0..9 a\ncounter 3 loss 1\n");
  EXPECT_FALSE(FindRecordingBudget(*trace));
  EXPECT_TRUE(FindFullSteps(*trace)[0].Has(5));
}

TEST(RecordingBudget, SaysWhatItCostAndHowOften) {
  const auto budget = FindRecordingBudget(*TraceFromText(Loop({2}) + kCost));
  ASSERT_TRUE(budget);
  EXPECT_EQ(RecordingBudgetText(*budget),
            "operators were recorded in 1 of 4 steps, which cost 1.6 % of the "
            "time (1.1 to 2.2)");
}

TEST(RecordingBudget, SaysNoMoreThanItKnows) {
  const auto unknown = FindRecordingBudget(*TraceFromText(Loop({2})));
  ASSERT_TRUE(unknown);
  EXPECT_EQ(RecordingBudgetText(*unknown),
            "operators were recorded in 1 of 4 steps; their cost is not yet "
            "known");
  EXPECT_EQ(RecordingBudgetText({0.875, {{-0.001, -0.004, 0.003}}}),
            "operators were recorded in 7 of 8 steps, which cost at most 0.3 % "
            "of the time");
}

TEST(RecordingBudget, OfAJobItIsThatOfTheProcessThatPaysMost) {
  const auto budget = FindRecordingBudget(*TraceFromText(
      Loop({2}) + kCost + Loop({2}, "rank=1").replace(8, 1, "2") + R"(
  counter 650 "cost of recording" 0.05
  counter 650 "cost of recording, at least" 0.04
  counter 650 "cost of recording, at most" 0.06
)"));
  ASSERT_TRUE(budget && budget->cost);
  EXPECT_DOUBLE_EQ(budget->cost->ratio, 0.05);
}

// Their operators were not recorded: they would seem to do nothing.
TEST(RecordingBudget, StepsWithoutOperatorsAreNotAmongTheSettled) {
  const StepSelection settled = Settled(Loop({2, 3, 5}));
  EXPECT_EQ(settled.chosen, 3u);
  EXPECT_EQ(settled.total, 6u);
  EXPECT_EQ(settled.note,
            "3 steps left out because their operators were not recorded "
            "(--budget); --steps all includes them");
}

TEST(RecordingBudget, WithoutAStepInFullAllStepsStay) {
  EXPECT_EQ(Settled(Loop({})).chosen, 6u);
}

// The slow step is what the window is about, recorded in full or not.
TEST(RecordingBudget, InAWindowOfASlowStepAllStepsStay) {
  EXPECT_EQ(Settled(Loop({2, 3, 5}, "saved=slow")).chosen, 6u);
}

}  // namespace
}  // namespace stepscope
