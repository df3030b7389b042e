// SPDX-License-Identifier: Apache-2.0
#include "analysis/compare/compare.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "trace/trace_from_text.h"

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

TEST(StudentTest, QuantilesAndInterval) {
  EXPECT_NEAR(StudentT95(1), 12.706, 1e-3);
  EXPECT_NEAR(StudentT95(17), 2.1098, 2e-3);
  EXPECT_NEAR(StudentT95(45), 2.0141, 2e-3);
  EXPECT_NEAR(StudentT95(1e12), 1.95996, 1e-4);
  // Worked by hand: means 11 and 14, variances 1 and 4, n = 3 each.
  Sample a;
  Sample b;
  for (const double value : {10., 11., 12.}) a.Add(value);
  for (const double value : {12., 14., 16.}) b.Add(value);
  const MeanDifference change = Compare(a, b);
  EXPECT_DOUBLE_EQ(change.difference, 3);
  EXPECT_NEAR(change.half_width, StudentT95(2.9412) * 1.29099, 1e-3);
  EXPECT_FALSE(change.BeyondNoise());
}

TEST(CompareTest, SlowerBeyondNoiseFailsTheGate) {
  const Comparison comparison = CompareTraces(
      *Steps({1000, 1010, 990, 1005}), *Steps({1200, 1190, 1210, 1205}));
  EXPECT_EQ(comparison.verdict(), Verdict::kSlower);
  EXPECT_TRUE(comparison.IsSlowerBy(5));
  EXPECT_TRUE(comparison.IsSlowerBy(19));
  EXPECT_FALSE(comparison.IsSlowerBy(21));
  const CompareRow* op =
      Find(comparison, CompareTable::kOperatorCpu, "op");
  ASSERT_NE(op, nullptr);
  EXPECT_TRUE(op->change.BeyondNoise());
  EXPECT_NEAR(op->ratio(), 0.2, 0.01);
}

TEST(CompareTest, NoiseDoesNotFailTheGate) {
  const Comparison comparison = CompareTraces(
      *Steps({1000, 2000, 1500, 900}), *Steps({1100, 2100, 1700, 1000}));
  EXPECT_EQ(comparison.verdict(), Verdict::kSame);
  EXPECT_FALSE(comparison.IsSlowerBy(5));
}

TEST(CompareTest, ATraceIsLikeItself) {
  const auto trace = Steps({1000, 1010, 990});
  const Comparison comparison = CompareTraces(*trace, *trace);
  EXPECT_EQ(comparison.verdict(), Verdict::kSame);
  for (const CompareRow& row : comparison.rows) {
    EXPECT_EQ(row.change.difference, 0) << row.key.name;
    EXPECT_TRUE(row.in_a && row.in_b) << row.key.name;
  }
}

TEST(CompareTest, StepCountsMayDifferAndRowsBeMissing) {
  const Comparison comparison = CompareTraces(
      *Steps({1000, 1000, 1000}, "gone"), *Steps({1000, 1000}, "new"));
  EXPECT_TRUE(Says(comparison, "A has 3 steps, B 2"));
  EXPECT_TRUE(Says(comparison, "1 rows are only in A, 1 only in B"));
  const CompareRow* gone =
      Find(comparison, CompareTable::kOperatorCpu, "gone");
  ASSERT_NE(gone, nullptr);
  EXPECT_FALSE(gone->in_b);
  EXPECT_EQ(gone->change.difference, -500);
  EXPECT_EQ(comparison.verdict(), Verdict::kSame);  // means of a step
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
  const CompareRow* mm =
      Find(one_side, CompareTable::kOperatorCpu, "mm");
  ASSERT_NE(mm, nullptr);
  EXPECT_EQ(mm->mean_a, 40);
}

}  // namespace
}  // namespace stepscope
