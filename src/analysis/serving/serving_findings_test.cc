// SPDX-License-Identifier: Apache-2.0
//
// What advise and compare make of a server.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "analysis/compare/compare.h"
#include "analysis/summary.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope {
namespace {

// 20 iterations that decode, each `decode_ns` after the one before, then five
// that read a prompt as well and take three times as long. `busy`: of each.
std::shared_ptr<const Trace> Server(int64_t decode_ns, int64_t busy_ns,
                                    const std::string& process = "") {
  std::string host;
  std::string device;
  int64_t now = 0;
  for (int i = 0; i < 26; ++i) {
    const bool mixed = i >= 20;
    const int64_t period = mixed ? 3 * decode_ns : decode_ns;
    const std::string at = std::to_string(now);
    host += at + ".." + std::to_string(now + period / 2) +
            (mixed ? " execute_context_1(64)_generation_2(2)\n"
                   : " execute_context_0(0)_generation_2(2)\n") +
            at + ".." + std::to_string(now + 5) +
            " launch CudaRuntime correlation=" + std::to_string(i + 1) + "\n";
    device += std::to_string(now + 10 + i % 3) + ".." +
              std::to_string(now + 10 + i % 3 + busy_ns) +
              " k Kernel correlation=" + std::to_string(i + 1) + "\n";
    now += period + i % 3;
  }
  return TraceFromText(process + "thread 1 engine\n" + host +
                       "stream 7 GPU:0\n" + device);
}

const Finding* Find(const Advice& advice, std::string_view id) {
  for (const Finding& finding : advice.findings)
    if (finding.id == id) return &finding;
  return nullptr;
}

TEST(ServingFindingsTest, PromptsMakeTheTailOfDecode) {
  const std::shared_ptr<const Trace> trace = Server(1000, 300);
  SummaryOptions options;
  options.views = kAdviceView;
  const Summary summary = ComputeSummary(*trace, options);
  const Finding* const mixed = Find(summary.advice, "mixed_iterations");
  ASSERT_NE(mixed, nullptr);
  EXPECT_EQ(mixed->saving_ns, 0);
  EXPECT_NE(mixed->evidence[0].what.find("6 iterations of the 26"),
            std::string::npos)
      << mixed->evidence[0].what;
  const Finding* const gap = Find(summary.advice, "scheduler_gap");
  ASSERT_NE(gap, nullptr);
  EXPECT_GT(gap->saving_ns, 0);
  // Prompts were read by launches like all else.
  EXPECT_EQ(Find(summary.advice, "eager_prefill"), nullptr);
  EXPECT_EQ(Find(summary.advice, "padding"), nullptr);
  // What was an input only is not shown.
  EXPECT_TRUE(summary.iterations.list.empty());
}

TEST(ServingFindingsTest, AServerWithoutADeviceIsNotToldToMarkSteps) {
  const std::shared_ptr<const Trace> trace = TraceFromText(R"(
    thread 1 engine
      0..10 execute_context_0(0)_generation_4(4)
      20..30 execute_context_0(0)_generation_4(4)
  )");
  SummaryOptions options;
  options.views = kAdviceView;
  const Advice advice = ComputeSummary(*trace, options).advice;
  ASSERT_EQ(advice.nothing.size(), 3u);
  EXPECT_NE(advice.nothing[0].find(", but no device work."), std::string::npos);
  for (const std::string& line : advice.nothing)
    EXPECT_EQ(line.find("step()"), line.npos) << line;
}

TEST(ServingFindingsTest, IterationsOfAKindAreCompared) {
  const std::shared_ptr<const Trace> a = Server(1000, 300);
  const std::shared_ptr<const Trace> b = Server(1200, 400);
  CompareOptions options;
  options.kind = "decode";
  options.fail_if_slower = 5;
  const Result<Comparison> slower = CompareTraces(*a, *b, options);
  ASSERT_TRUE(slower) << slower.error().message;
  EXPECT_EQ(slower->sample(), "decode iteration");
  EXPECT_EQ(slower->step.key.name, "decode iteration");
  EXPECT_EQ(slower->steps_a, 20u);
  EXPECT_EQ(slower->change.median_a_ns, 1001);
  EXPECT_EQ(slower->gate->kind, GateAnswer::Kind::kSlower);
  bool kernel = false;
  for (const CompareRow& row : slower->rows) {
    if (row.key.table != CompareTable::kKernel) continue;
    kernel = true;
    EXPECT_EQ(row.median_a, 300);
    EXPECT_EQ(row.median_b, 400);
    EXPECT_EQ(row.calls_a, 20u);
  }
  EXPECT_TRUE(kernel);
  const Result<Comparison> same = CompareTraces(*a, *a, options);
  EXPECT_EQ(same->gate->kind, GateAnswer::Kind::kNotSlower);
  options.kind = "verify";
  EXPECT_FALSE(CompareTraces(*a, *b, options));
  options.kind = "request";
  const Result<Comparison> none = CompareTraces(*a, *b, options);
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message.find("A has no request"), std::string::npos);
}

// Four requests that decode together, and one whose prompt is read beside them.
TEST(ServingFindingsTest, BillsOfRequestsAreComparedByTheRule) {
  std::string host;
  std::string members;
  for (int i = 1; i <= 5; ++i) {
    const std::string number = std::to_string(i);
    host += "0..0 request Request instant stepscope.request=[" + number +
            ",4,0,0]\n200..200 \"request end\" Request instant "
            "stepscope.request=[" +
            number + "]\n";
    members += (i > 1 ? "," : "") + std::to_string(i * 8 + (i == 5 ? 1 : 2)) +
               (i == 5 ? ",96" : ",1");
  }
  const std::shared_ptr<const Trace> trace = TraceFromText(
      "thread 1 engine\n" + host +
      "10..20 iteration[mixed] PythonUserDefined stepscope.members=[" +
      members +
      "]\n11..12 launch CudaRuntime correlation=1\n"
      "stream 7 GPU:0\n20..120 k Kernel correlation=1\n");
  CompareOptions options;
  options.kind = "request";
  const auto decode = [&](BillRule rule) {
    options.bill = rule;
    const Result<Comparison> compared = CompareTraces(*trace, *trace, options);
    EXPECT_EQ(
        compared->notes.back(),
        "The requests of an iteration share its device time by the rule " +
            std::string(NameOf(rule)) + ".");
    for (const CompareRow& row : compared->rows)
      if (row.key.name == "GPU, decode") return row.median_a;
    return int64_t{-1};
  };
  EXPECT_EQ(decode(BillRule::kTokens), 1);
  EXPECT_EQ(decode(BillRule::kRequests), 20);
}

// Words and figures of steps are for steps.
TEST(ServingFindingsTest, NothingSaysStepsWhereIterationsAreCompared) {
  // Steps that were timed beside the recording are no iterations.
  const std::shared_ptr<const Trace> a = Server(
      1000, 300, "process 1 unprofiled_times_ns=\"900 900 900 900 900 900\"\n");
  const std::shared_ptr<const Trace> b = Server(
      1001, 300, "process 1 unprofiled_times_ns=\"500 500 500 500 500 500\"\n");
  for (const char* kind : {"decode", "mixed"}) {
    CompareOptions options;
    options.kind = kind;
    options.fail_if_slower = 0.00001;
    const Result<Comparison> compared = CompareTraces(*a, *b, options);
    ASSERT_TRUE(compared) << compared.error().message;
    const std::string& gate = compared->gate->text;
    EXPECT_EQ(gate.find("step"), gate.npos) << gate;
    for (const std::string& note : compared->notes)
      EXPECT_EQ(note.find("step"), note.npos) << note;
    EXPECT_EQ(compared->change.samples(), std::string(kind) + " iterations");
  }
  const std::vector<int64_t> spread = {100, 140, 90, 160, 120, 80, 150, 110};
  const GateAnswer unresolved =
      AskGate(CompareSteps(spread, spread, "decode iteration"), 0.0001);
  EXPECT_EQ(unresolved.kind, GateAnswer::Kind::kUnresolved);
  EXPECT_NE(unresolved.text.find(" more decode iterations ("),
            std::string::npos)
      << unresolved.text;
  EXPECT_NE(unresolved.text.find(" decode iterations on each side)"),
            std::string::npos)
      << unresolved.text;
  const StepChange few = CompareSteps({1, 2}, {3, 4}, "idle iteration");
  EXPECT_EQ(few.one(), "an idle iteration");
  EXPECT_EQ(AskGate(few, 0.05).text,
            "5 % asked, but nothing can be concluded from so few idle "
            "iterations: record at least 3 idle iterations on each side (A has "
            "2, B has 2)");
  EXPECT_EQ(CompareSteps({1}, {2}).one(), "a step");
}

// Ranges that the user calls the steps are iterations, and no others.
TEST(ServingFindingsTest, ChosenStepsAreIterations) {
  const std::shared_ptr<const Trace> trace = TraceFromText(R"(
    process 1 step_range=*
    thread 1 engine
      0..10 "Prefill of 7" ProfileStep
      20..30 decode_step_1 ProfileStep
      40..50 "step[DECODE bs=2]"
      60..70 turn ProfileStep
  )");
  const IterationTable table = ComputeIterations(EventTree(*trace));
  ASSERT_EQ(table.list.size(), 3u);
  EXPECT_EQ(table.list[0].mark.kind, IterationKind::kPrefill);
  EXPECT_EQ(table.list[1].mark.kind, IterationKind::kDecode);
  EXPECT_EQ(table.list[2].mark.kind, IterationKind::kUnknown);
  EXPECT_EQ(table.engine, "ranges");
}

}  // namespace
}  // namespace stepscope
