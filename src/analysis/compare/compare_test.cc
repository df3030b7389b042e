// SPDX-License-Identifier: Apache-2.0
#include "analysis/compare/compare.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "trace/trace_from_text_test_support.h"

namespace stepscope {
namespace {

// Steps of the given lengths, each with one operator of half that.
std::shared_ptr<const Trace> Steps(const std::vector<int>& lengths,
                                   const std::string& op = "op") {
  std::string text = "thread 1\n";
  int time = 0;
  for (size_t i = 0; i < lengths.size(); ++i) {
    const auto range = [&](int length) {
      return std::to_string(time) + ".." + std::to_string(time + length);
    };
    text += range(lengths[i]) + " ProfileStep#" + std::to_string(i) +
            " ProfileStep\n";
    text += range(lengths[i] / 2) + " " + op + " Operator\n";
    time += lengths[i] + 10;
  }
  return TraceFromText(text);
}

const CompareRow* Find(const Comparison& comparison, CompareTable table,
                       const std::string& name) {
  for (const CompareRow& row : comparison.rows) {
    if (row.key.table == table && row.key.name == name) return &row;
  }
  return nullptr;
}

bool Says(const Comparison& comparison, const std::string& part) {
  for (const std::string& note : comparison.notes) {
    if (note.find(part) != note.npos) return true;
  }
  return false;
}

TEST(CompareTest, SlowerBeyondDoubtFailsTheGate) {
  CompareOptions options;
  options.fail_if_slower = 5;
  const Result<Comparison> comparison =
      CompareTraces(*Steps({1000, 1010, 990, 1005}),
                    *Steps({1200, 1190, 1210, 1205}), options);
  ASSERT_TRUE(comparison);
  EXPECT_EQ(comparison->verdict(), Verdict::kSlower);
  EXPECT_TRUE(comparison->conclusive());
  ASSERT_TRUE(comparison->gate);
  EXPECT_EQ(comparison->gate->kind, GateAnswer::Kind::kSlower);
  EXPECT_TRUE(comparison->change.IsSlowerBy(0.15));
  EXPECT_FALSE(comparison->change.IsSlowerBy(0.21));
  const CompareRow* op = Find(*comparison, CompareTable::kOperatorCpu, "op");
  ASSERT_NE(op, nullptr);
  EXPECT_TRUE(op->beyond_noise);
  EXPECT_NEAR(op->ratio(), 0.2, 0.01);
}

TEST(CompareTest, TheRowOfTheStepSaysWhatTheVerdictSays) {
  const Comparison three =
      CompareTraces(*Steps({100, 102, 101}), *Steps({150, 153, 149}));
  EXPECT_EQ(three.verdict(), Verdict::kSlower);
  EXPECT_TRUE(three.step.beyond_noise);
  // The interval is far wider above than below.
  const Comparison skewed =
      CompareTraces(*Steps({1000, 1001, 1002, 1003, 1900, 1900, 1004, 1005}),
                    *Steps({990, 980, 985, 991, 988, 987, 989, 986}));
  EXPECT_EQ(skewed.verdict(), Verdict::kFaster);
  EXPECT_TRUE(skewed.step.beyond_noise);
  EXPECT_GT(-skewed.step.difference(), *skewed.step.noise);
}

TEST(CompareTest, NoiseDoesNotFailTheGate) {
  CompareOptions options;
  options.fail_if_slower = 5;
  const Result<Comparison> comparison =
      CompareTraces(*Steps({1000, 2000, 1500, 900}),
                    *Steps({1100, 2100, 1700, 1000}), options);
  ASSERT_TRUE(comparison);
  EXPECT_EQ(comparison->verdict(), Verdict::kSame);
  EXPECT_FALSE(comparison->conclusive());
  EXPECT_EQ(comparison->gate->kind, GateAnswer::Kind::kUnresolved);
  EXPECT_GT(*comparison->steps_needed(), 4U);
}

TEST(CompareTest, ATraceIsLikeItself) {
  const auto trace = Steps({1000, 1010, 990});
  const Comparison comparison = CompareTraces(*trace, *trace);
  EXPECT_EQ(comparison.verdict(), Verdict::kSame);
  EXPECT_EQ(comparison.change.p, 1);
  for (const CompareRow& row : comparison.rows) {
    EXPECT_EQ(row.difference(), 0) << row.key.name;
    EXPECT_TRUE(row.in_a && row.in_b) << row.key.name;
    EXPECT_EQ(row.p.value_or(1), 1) << row.key.name;
  }
}

TEST(CompareTest, WarmUpIsLeftOut) {
  const auto a = Steps({9000, 1000, 1010, 990, 1000, 1005});
  const auto b = Steps({90000, 1000, 1010, 990, 1000, 1005});
  const Comparison comparison = CompareTraces(*a, *b);
  EXPECT_EQ(comparison.steps_a, 5U);
  EXPECT_EQ(comparison.warmup_b, 1U);
  EXPECT_EQ(comparison.verdict(), Verdict::kSame);
  EXPECT_EQ(comparison.change.p, 1);
  EXPECT_TRUE(Says(comparison,
                   "A: step 0 left out as warm-up (8.9 x the median); --steps "
                   "all includes it."));
  const CompareRow* op = Find(comparison, CompareTable::kOperatorCpu, "op");
  ASSERT_NE(op, nullptr);
  EXPECT_EQ(op->calls_b, 5U);
  EXPECT_EQ(op->mean_b, op->mean_a);

  CompareOptions options;
  options.steps = StepChoice::All();
  const Result<Comparison> all = CompareTraces(*a, *b, options);
  ASSERT_TRUE(all);
  EXPECT_EQ(all->steps_b, 6U);
  EXPECT_FALSE(Says(*all, "warm-up"));
  EXPECT_EQ(Find(*all, CompareTable::kOperatorCpu, "op")->calls_b, 6U);
}

TEST(CompareTest, StepsMayBeChosenByNumber) {
  const auto a = Steps({100, 200, 300, 400});
  CompareOptions options;
  options.steps = *ParseStepChoice("1:3");
  const Result<Comparison> some = CompareTraces(*a, *a, options);
  ASSERT_TRUE(some);
  EXPECT_EQ(some->steps_a, 2U);
  EXPECT_TRUE(Says(*some, "Only steps 1:3 of A are compared: 2 of 4."));
  // A period reaches to the next step, chosen or not.
  EXPECT_EQ(some->change.periods_a, (std::vector<int64_t>{210, 310}));

  const Result<Comparison> short_b = CompareTraces(*a, *Steps({100}), options);
  ASSERT_FALSE(short_b);
  EXPECT_EQ(short_b.error().message,
            "--steps 1:3: no such step of B was recorded; it has steps 0-0");
  const Result<Comparison> no_steps =
      CompareTraces(*TraceFromText("0..9 op Operator"), *a, options);
  ASSERT_FALSE(no_steps);
  EXPECT_EQ(no_steps.error().message,
            "--steps 1:3: A has no steps; leave --steps out");
}

TEST(CompareTest, FewOrNoStepsConcludeNothing) {
  for (const auto& slow :
       {Steps({9000}), Steps({9000, 9000}), TraceFromText(""),
        TraceFromText("0..9000 op Operator")}) {
    CompareOptions options;
    options.fail_if_slower = 5;
    const Result<Comparison> comparison =
        CompareTraces(*Steps({100, 100, 100}), *slow, options);
    ASSERT_TRUE(comparison);
    EXPECT_EQ(comparison->verdict(), Verdict::kUnknown);
    EXPECT_EQ(comparison->gate->kind, GateAnswer::Kind::kUnresolved);
    EXPECT_FALSE(comparison->conclusive());
    for (const CompareRow& row : comparison->rows) {
      EXPECT_FALSE(row.beyond_noise);
    }
  }
}

// Four ranks that step together are no four times as many steps.
TEST(CompareTest, ProcessesOfAJobCountOnce) {
  const auto job = [](const std::vector<int>& lengths) {
    std::string text;
    for (int rank = 0; rank < 4; ++rank) {
      text += "process " + std::to_string(100 + rank) +
              " rank=" + std::to_string(rank) + "\nthread 1\n";
      int time = rank;
      for (size_t i = 0; i < lengths.size(); ++i) {
        text += std::to_string(time) + ".." +
                std::to_string(time + lengths[i]) + " ProfileStep#" +
                std::to_string(i) + " ProfileStep\n";
        time += lengths[i];
      }
    }
    return TraceFromText(text);
  };
  const Comparison comparison =
      CompareTraces(*job({1000, 1100, 1050}), *job({1080, 1150, 1060}));
  EXPECT_EQ(comparison.steps_a, 12U);
  EXPECT_EQ(comparison.change.periods_a,
            (std::vector<int64_t>{1000, 1100, 1050}));
  EXPECT_EQ(comparison.verdict(), Verdict::kSame);
  EXPECT_TRUE(Says(comparison, "A has 4 processes"));
}

TEST(CompareTest, AnItemOfFewStepsIsComparedByItsMean) {
  std::string text = "thread 1\n";
  std::string with_save = text;
  for (int i = 0; i < 6; ++i) {
    const std::string step = std::to_string(100 * i) + ".." +
                             std::to_string(100 * i + 100) + " ProfileStep#" +
                             std::to_string(i) + " ProfileStep\n";
    text += step;
    with_save += step;
    if (i == 3) with_save += "310..370 save UserDefined\n";
  }
  const Comparison comparison =
      CompareTraces(*TraceFromText(text), *TraceFromText(with_save));
  const CompareRow* save = Find(comparison, CompareTable::kUserDefined, "save");
  ASSERT_NE(save, nullptr);
  EXPECT_TRUE(save->by_mean);
  EXPECT_EQ(save->difference(), 10);
  EXPECT_FALSE(save->noise);
  EXPECT_FALSE(save->beyond_noise);
  EXPECT_TRUE(Says(comparison, "Rows with ~"));
}

TEST(CompareTest, StepCountsMayDifferAndRowsBeMissing) {
  const Comparison comparison = CompareTraces(
      *Steps({1000, 1000, 1000}, "gone"), *Steps({1000, 1000}, "new"));
  EXPECT_TRUE(Says(comparison, "A has 3 steps, B 2"));
  EXPECT_TRUE(Says(comparison, "1 row is only in A, 1 only in B"));
  const CompareRow* gone = Find(comparison, CompareTable::kOperatorCpu, "gone");
  ASSERT_NE(gone, nullptr);
  EXPECT_FALSE(gone->in_b);
  EXPECT_EQ(gone->difference(), -500);
  EXPECT_EQ(comparison.verdict(), Verdict::kUnknown);  // two steps in B
}

TEST(CompareTest, NestedOfTheSameNameIsPartOfTheCall) {
  const auto trace = TraceFromText(R"(
    0..100 ProfileStep#0 ProfileStep
      0..80 op Operator
        10..60 op Operator
      80..100 mine UserDefined
        85..95 mine UserDefined)");
  const Comparison comparison = CompareTraces(*trace, *trace);
  for (const auto& [table, name] :
       {std::pair(CompareTable::kOperatorCpu, "op"),
        std::pair(CompareTable::kUserDefined, "mine")}) {
    const CompareRow* row = Find(comparison, table, name);
    ASSERT_NE(row, nullptr) << name;
    EXPECT_EQ(row->calls_a, 1u) << name;
  }
  EXPECT_EQ(Find(comparison, CompareTable::kOperatorCpu, "op")->mean_a, 80);
}

TEST(CompareTest, ShapesTellOperatorsApart) {
  const char* const kShapes =
      "thread 1\n0..100 ProfileStep#0 ProfileStep\n"
      "0..10 mm Operator input_shape=[2,3]\n"
      "20..50 mm Operator input_shape=[8,3]\n";
  const Comparison comparison =
      CompareTraces(*TraceFromText(kShapes), *TraceFromText(kShapes));
  int rows = 0;
  for (const CompareRow& row : comparison.rows) {
    rows += row.key.table == CompareTable::kOperatorCpu;
  }
  EXPECT_EQ(rows, 2);
  const Comparison one_side =
      CompareTraces(*TraceFromText(kShapes), *Steps({100}, "mm"));
  EXPECT_TRUE(Says(one_side, "Only one of the two has shapes"));
  const CompareRow* mm = Find(one_side, CompareTable::kOperatorCpu, "mm");
  ASSERT_NE(mm, nullptr);
  EXPECT_EQ(mm->a(), 40);
}

}  // namespace
}  // namespace stepscope
