// SPDX-License-Identifier: Apache-2.0
#include "analysis/recording_budget.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/step_choice.h"
#include "analysis/step_sweep.h"
#include "analysis/summary.h"
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

TEST(RecordingBudget, SaysWhatIsNotInItsCost) {
  EXPECT_EQ(RecordingBudgetText({0.25, {{0.016, 0.011, 0.022}}, true, true}),
            "operators and device work were recorded in 1 of 4 steps, which "
            "cost 1.6 % of the time (1.1 to 2.2); what the device's recorder "
            "costs in the others is not known; counters of the device were "
            "read in all steps, which is not in it");
  const auto found = FindRecordingBudget(
      *TraceFromText(Loop({2}) + "counter 98 \"device recorded in full\" 0\n"
                                 "counter 99 \"GPU 0: DRAM read (B/s)\" 1\n"));
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->of_device);
  EXPECT_TRUE(found->counters);
  const auto other = FindRecordingBudget(*TraceFromText(Loop({2})));
  ASSERT_TRUE(other);
  EXPECT_FALSE(other->of_device || other->counters);
}

// A loop whose device never rests: what was recorded in full shows that, and
// of the other steps at most a part of the work was recorded.
class BusyLoop {
 public:
  explicit BusyLoop(uint32_t seed) : random_(seed) {
    text_ = "process 1";
    if (Draw(4) == 0) text_ += " saved=slow";
    text_ += "\nthread 1 main\n";
    const int steps = 2 + Draw(10);
    for (int step = 0; step < steps; ++step) AddStep(step);
    text_ += "stream 7 GPU:0\n" + stream_ +
             Format("window 0 %d\n", static_cast<int>(now_));
  }
  const std::string& text() const { return text_; }
  int full_steps() const { return full_steps_; }
  int64_t full_ns() const { return full_ns_; }
  int steps() const { return steps_; }

 private:
  int Draw(int below) { return static_cast<int>(random_() % below); }

  void AddStep(int index) {
    const bool full = Draw(3) == 0;
    const int64_t begin = now_ + 3;  // after what the recorder says of it
    const int64_t end = begin + 40 + Draw(100);
    for (const char* name : {"recorded in full", "device recorded in full"})
      text_ += Format("counter %d \"%s\" %d\n", static_cast<int>(now_ + 1),
                      name, full ? 1 : 0);
    text_ += Format("counter %d \"share recorded in full\" 0.3\n",
                    static_cast<int>(now_ + 2));
    text_ += Format("%d..%d ProfileStep#%d ProfileStep\n",
                    static_cast<int>(begin), static_cast<int>(end), index);
    if (full) text_ += Operator(begin, end);
    // The switch falls into the other steps: perhaps there is some work.
    const int64_t busy = full ? end - begin : Draw(2) * Draw(20);
    AddWork(begin, begin + busy);
    ++steps_;
    full_steps_ += full ? 1 : 0;
    full_ns_ += full ? end - begin : 0;
    now_ = end;
  }
  std::string Operator(int64_t begin, int64_t end) {
    return Format("%d..%d aten::mm Operator\n", static_cast<int>(begin),
                  static_cast<int>(end));
  }
  void AddWork(int64_t begin, int64_t end) {
    while (begin < end) {
      const int64_t until = std::min(end, begin + 1 + Draw(30));
      ++correlation_;
      text_ += Format("%d..%d launch CudaRuntime correlation=%d\n",
                      static_cast<int>(begin), static_cast<int>(begin),
                      correlation_);
      stream_ +=
          Format("%d..%d gemm Kernel correlation=%d\n", static_cast<int>(begin),
                 static_cast<int>(until), correlation_);
      begin = until;
    }
  }

  std::mt19937 random_;
  std::string text_;
  std::string stream_;
  int64_t now_ = 0;
  int correlation_ = 0;
  int steps_ = 0;
  int full_steps_ = 0;
  int64_t full_ns_ = 0;
};

bool NoWindowIsIdle(const Trace& trace) {
  const EventTree tree(trace);
  const StepTable steps(tree);
  NameClasses names(trace.strings());
  const Communication communication(tree, names);
  bool none = true;
  StepSweep(tree, steps, names, communication)
      .Run([&](const StepWindow& window) {
        for (const IntervalSet& idle : window.idle) none &= idle.empty();
        for (const IntervalSet& pieces : window.pieces) none &= pieces.empty();
      });
  return none;
}

TEST(RecordingBudget, WorkThatWasLeftOutIsNeverIdleTime) {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    const BusyLoop loop(seed);
    SCOPED_TRACE(loop.text());
    const auto trace = TraceFromText(loop.text());
    ASSERT_TRUE(NoWindowIsIdle(*trace));
    const int middle = loop.steps() / 2;
    const std::optional<StepChoice> choices[] = {
        std::nullopt, StepChoice::All(), StepChoice::Settled(),
        StepChoice{StepChoice::Kind::kRange, middle, loop.steps()},
        StepChoice{StepChoice::Kind::kRange, 0, middle}};
    for (const auto& choice : choices) {
      SummaryOptions options;
      options.views = kAllViews;
      options.steps = choice;
      const auto summary = ComputeSummaryOfSteps(*trace, options);
      ASSERT_TRUE(summary.has_value());
      SCOPED_TRACE(choice ? StepChoiceText(*choice) : "none");
      for (const IdleDevice& device : summary->idle.devices) {
        ASSERT_EQ(device.idle_ns, 0);
        ASSERT_LE(device.step_ns, loop.full_ns());
      }
      for (size_t i = 2; i < summary->device.size(); ++i) {
        // Runs of steps have gaps of 3 ns, in which the recorder speaks.
        const DeviceRow& row = summary->device[i];
        ASSERT_GE(row.utilization.value_or(1), 40.0 / 43);
        if (loop.full_steps() > 0) continue;
        ASSERT_FALSE(row.utilization);
      }
      for (const HostOperator& op : summary->idle.host_operators)
        ASSERT_EQ(op.idle_ns, 0);
      ASSERT_TRUE(summary->advice.device_busy < 0 ||
                  summary->advice.device_busy == 1)
          << summary->advice.device_busy;
    }
  }
}

// The slow step is what the window is about, recorded in full or not.
TEST(RecordingBudget, InAWindowOfASlowStepAllStepsStay) {
  EXPECT_EQ(Settled(Loop({2, 3, 5}, "saved=slow")).chosen, 6u);
}

}  // namespace
}  // namespace stepscope
