// SPDX-License-Identifier: Apache-2.0
//
// What advise and compare make of a server.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

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

// One turn of a server's loop.
struct Turn {
  std::string mark;  // with its members, if any
  int64_t period_ns = 1000;
  int64_t host_ns = 500;  // of the mark
  int64_t busy_ns = 300;  // of the device, over all launches
  int launches = 1;
  bool graph = false;
};

std::string ServerText(const std::vector<Turn>& turns,
                       const std::string& before = "") {
  std::string host = before;
  std::string device;
  int64_t now = 100;
  int64_t free = 0;  // the device, from then on
  int correlation = 0;
  const auto event = [](int64_t begin, int64_t end, const std::string& what) {
    return std::to_string(begin) + ".." + std::to_string(end) + " " + what +
           "\n";
  };
  for (const Turn& turn : turns) {
    host += event(now, now + turn.host_ns, turn.mark);
    for (int i = 0; i < turn.launches; ++i) {
      const int64_t at = now + 5 + i * turn.host_ns / turn.launches;
      const std::string id =
          " correlation=" + std::to_string(++correlation) + "\n";
      host += event(at, at + 3,
                    turn.graph ? "graph GraphLaunch" : "launch CudaRuntime");
      host.pop_back();
      host += id;
      const int64_t begin = std::max(free, at + 6);
      free = begin + turn.busy_ns / turn.launches;
      device += event(begin, free, "k Kernel");
      device.pop_back();
      device += id;
    }
    now += turn.period_ns;
  }
  return "thread 1 engine\n" + host + "stream 7 GPU:0\n" + device;
}

Advice AdviceOf(const std::string& text) {
  static std::shared_ptr<const Trace> trace;  // names live as long
  trace = TraceFromText(text);
  SummaryOptions options;
  options.views = kAdviceView;
  return ComputeSummary(*trace, options).advice;
}

std::string EvidenceOf(const Finding& finding) {
  std::string text = finding.finding + "\n";
  for (const Evidence& one : finding.evidence) text += one.what + "\n";
  for (const std::string& one : finding.to_try) text += "> " + one + "\n";
  return text;
}

bool Says(const Finding& finding, std::string_view words) {
  return EvidenceOf(finding).find(words) != std::string::npos;
}

// 40 iterations that decode; every eighth as `slow` says.
std::vector<Turn> Decodes(const Turn& usual, const Turn& slow) {
  std::vector<Turn> turns;
  for (int i = 0; i < 41; ++i) turns.push_back(i % 8 == 3 ? slow : usual);
  return turns;
}

const std::string kDecode = "\"step[DECODE bs=2]\"";

TEST(ServingFindingsTest, TheHostMakesTheTailOfDecode) {
  const Advice between =
      AdviceOf(ServerText(Decodes({kDecode}, {kDecode, 3000})));
  const Finding* found = Find(between, "decode_tail");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->saving_ns, 0);
  EXPECT_TRUE(Says(*found,
                   "takes 3.00 us or more, half of them 1.00 us or "
                   "less."))
      << EvidenceOf(*found);
  EXPECT_TRUE(Says(*found, "5 of 40 iterations take 2.00 us longer"));
  EXPECT_TRUE(Says(*found,
                   "2.00 us more in which the device waits and the "
                   "host is between two iterations."));
  EXPECT_TRUE(Says(*found, "> scheduling the next iteration"));
  EXPECT_EQ(found->evidence.size(), 2u) << EvidenceOf(*found);

  const Advice inside =
      AdviceOf(ServerText(Decodes({kDecode}, {kDecode, 3000, 2500, 300, 2})));
  found = Find(inside, "decode_tail");
  ASSERT_NE(found, nullptr);
  EXPECT_TRUE(Says(*found,
                   "more in which the device waits for a launch "
                   "inside the iteration."))
      << EvidenceOf(*found);
}

TEST(ServingFindingsTest, WithoutADeviceTheHostAloneIsSpokenOf) {
  std::string text = ServerText(Decodes({kDecode}, {kDecode, 3000}));
  text.resize(text.find("stream 7"));
  // Steps, or there is no advice.
  text += "1..60000 ProfileStep#1 ProfileStep\n";
  const Advice advice = AdviceOf(text);
  const Finding* const found = Find(advice, "decode_tail");
  ASSERT_NE(found, nullptr);
  EXPECT_TRUE(Says(*found, "2.00 us more in which the host is between"))
      << EvidenceOf(*found);
}

TEST(ServingFindingsTest, ASlowRequestMakesTheTailOfDecode) {
  const std::string usual =
      "iteration[decode] PythonUserDefined stepscope.members=[10,1,18,1]";
  const std::string slow =
      "iteration[decode] PythonUserDefined stepscope.members=[10,1,26,1]";
  const std::string requests =
      "1..2 request Request stepscope.request=[1,8,0,0] id=\"a\"\n"
      "3..4 request Request stepscope.request=[2,8,0,0] id=\"b\"\n"
      "5..6 request Request stepscope.request=[3,9000,0,0] id=\"big\"\n";
  const Advice advice =
      AdviceOf(ServerText(Decodes({usual}, {slow, 3000, 500, 2400}), requests));
  const Finding* const found = Find(advice, "decode_tail");
  ASSERT_NE(found, nullptr);
  EXPECT_TRUE(Says(*found, "more in which the device is at work."))
      << EvidenceOf(*found);
  EXPECT_TRUE(Says(*found,
                   "The request \"big\" is in 100.0 % of them, and "
                   "in 0.0 % of the others."));
  EXPECT_FALSE(Says(*found, "\"a\""));  // it is in all of them
}

TEST(ServingFindingsTest, EvenOrFewIterationsHaveNoTail) {
  EXPECT_EQ(Find(AdviceOf(ServerText(Decodes({kDecode}, {kDecode, 1200}))),
                 "decode_tail"),
            nullptr);
  std::vector<Turn> few(15, Turn{kDecode});
  few[7].period_ns = 9000;
  EXPECT_EQ(Find(AdviceOf(ServerText(few)), "decode_tail"), nullptr);
}

TEST(ServingFindingsTest, LargerChunksOfPromptsTakeLonger) {
  std::vector<Turn> turns;
  for (int i = 0; i < 30; ++i)
    turns.push_back(
        i % 3 == 0   ? Turn{"execute_context_1(64)_generation_2(2)", 2000}
        : i % 3 == 1 ? Turn{"execute_context_1(512)_generation_2(2)", 4000}
                     : Turn{"execute_context_0(0)_generation_2(2)", 1000});
  const Advice advice = AdviceOf(ServerText(turns));
  const Finding* const found = Find(advice, "mixed_iterations");
  ASSERT_NE(found, nullptr);
  EXPECT_TRUE(Says(*found,
                   "They read 64 tokens of prompts each (median); "
                   "those that read more take 4.00 us, the others "
                   "2.00 us (medians)."))
      << EvidenceOf(*found);
  EXPECT_TRUE(Says(*found, "> smaller chunks of prompts"));
  // Where all take as long, smaller ones would only be more.
  for (Turn& turn : turns)
    if (turn.period_ns > 1000) turn.period_ns = 4000;
  EXPECT_TRUE(Says(*Find(AdviceOf(ServerText(turns)), "mixed_iterations"),
                   "> larger chunks of prompts"));
}

// Tokens by graphs; prompts, alone or beside tokens, launch by launch.
std::vector<Turn> EagerPrompts() {
  std::vector<Turn> turns;
  for (int i = 0; i < 24; ++i)
    turns.push_back(i % 4 == 0   ? Turn{"execute_context_1(64)_generation_0(0)",
                                      1000, 900, 200, 20}
                    : i % 4 == 1 ? Turn{"execute_context_1(64)_generation_2(2)",
                                        1000, 900, 400, 20}
                                 : Turn{"execute_context_0(0)_generation_2(2)",
                                        400, 300, 250, 1, true});
  return turns;
}

TEST(ServingFindingsTest, PromptsThatAreReadCallByCall) {
  const std::string text = ServerText(EagerPrompts());
  const Advice advice = AdviceOf(text);
  const Finding* const found = Find(advice, "eager_prefill");
  ASSERT_NE(found, nullptr);
  EXPECT_TRUE(Says(*found, "6 iterations of the kind prefill: 120 launches, "))
      << EvidenceOf(*found);
  EXPECT_TRUE(Says(*found, "6 iterations of the kind mixed: 120 launches, "));
  EXPECT_GT(found->saving_ns, 0);
  // Where prompts have graphs, too, there is nothing to say.
  std::vector<Turn> captured = EagerPrompts();
  for (Turn& turn : captured) turn.graph = true, turn.launches = 1;
  EXPECT_EQ(Find(AdviceOf(ServerText(captured)), "eager_prefill"), nullptr);
}

// The trace was cut: what it launched waits behind work that it does not have.
TEST(ServingFindingsTest, WorkThatACutTraceLacksBlamesNobody) {
  const Advice advice = AdviceOf(R"(
    thread 1 engine
      0..5000 execute_context_1(64)_generation_2(2)
        10..20 launch CudaRuntime correlation=1
      6000..7000 execute_context_0(0)_generation_2(2)
        6010..6020 graph GraphLaunch correlation=2
      8000..9000 execute_context_0(0)_generation_2(2)
        8010..8020 graph GraphLaunch correlation=3
    stream 7 GPU:0
      40000000..40003000 prefill Kernel correlation=1
      40004000..40006000 decode Kernel correlation=2
      40007000..40009000 decode Kernel correlation=3
  )");
  for (const char* id :
       {"eager_prefill", "scheduler_gap", "launch_bound", "device_idle"})
    EXPECT_EQ(Find(advice, id), nullptr) << id;
  ASSERT_FALSE(advice.doubts.empty());
  EXPECT_NE(advice.doubts.back().find("although work was launched"),
            std::string::npos)
      << advice.doubts.back();
}

TEST(ServingFindingsTest, PaddingWhereItIsStated) {
  const auto padded = [](const std::string& mark) {
    return AdviceOf(
        ServerText(std::vector<Turn>(30, Turn{mark, 400, 300, 390})));
  };
  const Advice advice = padded("\"decode[bs=5/8 tok=5 d=5]\"");
  const Finding* const found = Find(advice, "padding");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->finding,
            "Of the requests that iterations compute, 37.5 % are padding, to "
            "fit a graph.");
  EXPECT_TRUE(Says(*found, "30 iterations: 150 requests, 240 computed."))
      << EvidenceOf(*found);
  EXPECT_EQ(Find(padded("\"decode[bs=8/8 tok=8 d=8]\""), "padding"), nullptr);
  EXPECT_EQ(Find(padded("\"decode[bs=8 tok=8 d=8]\""), "padding"), nullptr);
}

TEST(ServingFindingsTest, RequestsThatArePushedOutAreReadAgain) {
  const std::string prompt =
      "iteration[prefill] PythonUserDefined stepscope.members=[9,90]";
  const std::string token =
      "iteration[decode] PythonUserDefined stepscope.members=[10,1]";
  const std::string request =
      "1..2 request Request stepscope.request=[1,90,0,0] id=\"late\"\n";
  const Advice advice = AdviceOf(ServerText(
      {{prompt}, {token}, {token}, {prompt, 1000, 500, 600}, {token}},
      request));
  const Finding* const found = Find(advice, "preemptions");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->finding, "1 request was pushed out and read again.");
  EXPECT_TRUE(Says(*found, "\"late\""));
  EXPECT_EQ(found->saving_ns, 600);
  // A prompt that is read in pieces was not pushed out.
  EXPECT_EQ(Find(AdviceOf(ServerText({{prompt}, {prompt}, {token}}, request)),
                 "preemptions"),
            nullptr);
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
