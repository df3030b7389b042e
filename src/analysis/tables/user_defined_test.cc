// SPDX-License-Identifier: Apache-2.0
//
// Ranges of the user's: time of their own, percentiles, names as groups.
#include "analysis/tables/user_defined.h"

#include <gtest/gtest.h>

#include <string>

#include "analysis/summary.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope {
namespace {

Summary RangesOf(const std::shared_ptr<const Trace>& trace,
                 SummaryOptions options = {}) {
  options.views = kPercentileView;
  return ComputeSummary(*trace, options);
}

// 100 requests of 1 to 100 ns, one after the other, with a number each.
std::string Requests() {
  std::string drawn = "thread 1 main\n";
  for (int i = 1; i <= 100; ++i) {
    drawn += std::to_string(i * 1000) + ".." + std::to_string(i * 1001) +
             " \"request " + std::to_string(i) + " of 100\" UserDefined\n";
  }
  return drawn;
}

TEST(UserRangesTest, PercentilesAreOfTheCalls) {
  std::string drawn = "thread 1 main\n";
  for (int i = 1; i <= 100; ++i)
    drawn += std::to_string(i * 1000) + ".." + std::to_string(i * 1001) +
             " decode UserDefined\n";
  const auto trace = TraceFromText(drawn);
  const Summary summary = RangesOf(trace);
  ASSERT_EQ(summary.user_defined.size(), 1u);
  ASSERT_EQ(summary.user_defined[0].rows.size(), 1u);
  const Spread& spread = summary.user_defined[0].rows[0].cpu_spread;
  EXPECT_EQ(spread.p50_ns, 50);
  EXPECT_EQ(spread.p90_ns, 90);
  EXPECT_EQ(spread.p95_ns, 95);
  EXPECT_EQ(spread.p99_ns, 99);
}

TEST(UserRangesTest, NamesThatDifferInDigitsAreOneOnRequest) {
  const auto trace = TraceFromText(Requests());
  EXPECT_EQ(RangesOf(trace).user_defined[0].rows.size(), 100u);
  SummaryOptions options;
  options.group_digits = true;
  const Summary summary = RangesOf(trace, options);
  ASSERT_EQ(summary.user_defined[0].rows.size(), 1u);
  const RangeRow& row = summary.user_defined[0].rows[0];
  EXPECT_EQ(row.name, "request # of #");
  EXPECT_EQ(row.calls, 100u);
  EXPECT_EQ(row.cpu.total_ns, 5050);
  EXPECT_EQ(row.cpu.min_ns, 1);
  EXPECT_EQ(row.cpu.max_ns, 100);
  EXPECT_EQ(row.self_cpu_ns, 5050);
  EXPECT_EQ(row.cpu_spread.p95_ns, 95);
}

// Two requests at a time, as in a server: the second is inside the first by
// time, and is a request all the same.
TEST(UserRangesTest, RequestsAtATimeAllCount) {
  const auto trace = TraceFromText(R"(
    thread 1 main
      0..100 "request 1" UserDefined
      10..90 "request 2" UserDefined)");
  SummaryOptions options;
  options.group_digits = true;
  const RangeRow row = RangesOf(trace, options).user_defined[0].rows[0];
  EXPECT_EQ(row.calls, 2u);
  EXPECT_EQ(row.cpu.total_ns, 180);
}

TEST(UserRangesTest, OwnTimeLeavesOutWhatIsInside) {
  const auto trace = TraceFromText(R"(
    thread 1 main
      0..100 outer UserDefined
        10..40 inner UserDefined
        50..60 op Operator)");
  SummaryOptions options;
  options.sort = SortKey::kSelf;
  options.views = kUserDefinedView;
  const Summary summary = ComputeSummary(*trace, options);
  const auto& rows = summary.user_defined[0].rows;
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].name, "outer");
  EXPECT_EQ(rows[0].self_cpu_ns, 60);
  EXPECT_EQ(rows[1].self_cpu_ns, 30);
}

const RangeRow& RangeNamed(const Summary& summary, std::string_view name) {
  for (const ThreadRows& group : summary.user_defined)
    for (const RangeRow& row : group.rows)
      if (row.name == name) return row;
  static const RangeRow none;
  ADD_FAILURE() << "no range " << name;
  return none;
}

// Half of the steps, and as much again outside; the same on two threads.
TEST(UserRangesTest, ShareIsOfWhatLiesInTheSteps) {
  const auto trace = TraceFromText(
      "thread 1 main\n0..100 ProfileStep#0 ProfileStep\n"
      "50..100 mine UserDefined\n200..300 mine UserDefined\n"
      "0..100 all UserDefined\n"
      "thread 2\n0..400 all UserDefined");
  const Summary summary = RangesOf(trace);
  EXPECT_EQ(RangeNamed(summary, "mine").cpu.total_ns, 150);
  EXPECT_DOUBLE_EQ(RangeNamed(summary, "mine").cpu.ratio, 0.5);
  EXPECT_EQ(RangeNamed(summary, "all").cpu.total_ns, 500);
  EXPECT_DOUBLE_EQ(RangeNamed(summary, "all").cpu.ratio, 1);
}

TEST(UserRangesTest, NamesThatAreOneHaveOneShare) {
  const auto trace = TraceFromText(
      "thread 1 main\n0..100 ProfileStep#0 ProfileStep\n"
      "0..50 \"part 1\" UserDefined\n50..100 \"part 2\" UserDefined");
  SummaryOptions options;
  options.group_digits = true;
  const Summary summary = RangesOf(trace, options);
  EXPECT_DOUBLE_EQ(RangeNamed(summary, "part #").cpu.ratio, 1);
}

}  // namespace
}  // namespace stepscope
