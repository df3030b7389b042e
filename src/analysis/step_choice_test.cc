// SPDX-License-Identifier: Apache-2.0
#include "analysis/step_choice.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analysis/random_trace.h"
#include "analysis/summary.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope {
namespace {

StepSelection Select(std::shared_ptr<const Trace> trace, const char* text) {
  const auto choice = ParseStepChoice(text);
  EXPECT_TRUE(choice) << text;
  auto selection = SelectSteps(std::move(trace), *choice);
  EXPECT_TRUE(selection) << selection.error().message;
  return selection ? *selection : StepSelection();
}

std::vector<std::string> Names(const Trace& trace) {
  std::vector<std::string> names;
  for (const StringId name : trace.name()) names.emplace_back(trace.str(name));
  return names;
}
using Texts = std::vector<std::string>;

TEST(StepChoiceTest, ParsesWhatItPrints) {
  for (const char* text : {"all", "settled", "3:8", "3:", ":8", "0:1"}) {
    const auto choice = ParseStepChoice(text);
    ASSERT_TRUE(choice) << text;
    EXPECT_EQ(StepChoiceText(*choice), text);
  }
}

TEST(StepChoiceTest, SaysWhatIsPossible) {
  for (const char* text : {"", ":", "3", "a:b", "3:8:9", "-1:4", "1.5:4",
                           "none", "3-8", " 3:8", "99999999999999999999:"}) {
    const auto choice = ParseStepChoice(text);
    ASSERT_FALSE(choice) << text;
    EXPECT_NE(choice.error().message.find("all, settled or A:B"),
              std::string::npos);
  }
  EXPECT_EQ(ParseStepChoice("8:3").error().message,
            "--steps 8:3: no steps lie between; the end is not included");
  EXPECT_FALSE(ParseStepChoice("3:3"));
}

constexpr const char* kLoop = R"(
  thread 1 main
    0..5 before
    10..400 ProfileStep#4 ProfileStep
      20..380 launch4 CudaRuntime correlation=4
    410..490 ProfileStep#5 ProfileStep
      420..430 launch5 CudaRuntime correlation=5
    495..499 between
    510..590 ProfileStep#6 ProfileStep
      520..530 launch6 CudaRuntime correlation=6
    610..690 ProfileStep#7 ProfileStep
      620..630 launch7 CudaRuntime correlation=7
    700..705 after
  thread 2 helper
    30..40 of4
    425..640 of5
  stream 7 GPU:0
    385..409 work4 Kernel correlation=4
    440..620 work5 Kernel correlation=5
    620..660 work6 Kernel correlation=6
    660..720 work7 Kernel correlation=7
  counter 15 loss 4
  counter 415 loss 5
  memory 15 +1 Place(cpu) 0x10
  memory 515 +2 Place(cpu) 0x20
  window 0 720)";

TEST(SelectStepsTest, EverythingIsTheTraceItself) {
  const auto trace = TraceFromText(kLoop);
  for (const char* text : {"all", "4:8", ":"}) {
    if (std::string_view(text) == ":") continue;
    EXPECT_EQ(Select(trace, text).trace, trace) << text;
    EXPECT_EQ(Select(trace, text).note, "");
  }
}

TEST(SelectStepsTest, RangeHasItsRowsAndTheWorkTheyLaunched) {
  const auto trace = TraceFromText(kLoop);
  const StepSelection five = Select(trace, "5:6");
  EXPECT_EQ(Names(*five.trace),
            (Texts{"ProfileStep#5", "launch5", "between", "of5", "work5"}));
  EXPECT_EQ(five.chosen, 1u);
  EXPECT_EQ(five.total, 4u);
  EXPECT_EQ(five.note, "only step 5 of 4 recorded is counted");
  EXPECT_EQ(five.trace->begin_ns(), 410);
  EXPECT_EQ(five.trace->end_ns(), 620);
  ASSERT_EQ(five.trace->counters().size(), 1u);
  EXPECT_EQ(five.trace->counters()[0].value, 5);
  EXPECT_TRUE(five.trace->memory().empty());
  // The last one has what follows until the device is done.
  EXPECT_EQ(Names(*Select(trace, "7:").trace),
            (Texts{"ProfileStep#7", "launch7", "after", "work7"}));
}

TEST(SelectStepsTest, SettledLeavesWarmUpOut) {
  const StepSelection settled = Select(TraceFromText(kLoop), "settled");
  EXPECT_EQ(settled.warmup, 1u);
  EXPECT_EQ(settled.chosen, 3u);
  EXPECT_EQ(settled.note,
            "step 4 left out as warm-up (the first took 4.0 x the median); "
            "--steps all includes it");
  EXPECT_EQ(settled.trace->str(settled.trace->name()[0]), "ProfileStep#5");
  const EventTree tree(*settled.trace);
  const StepTable steps(tree, /*find_warmup=*/false);
  EXPECT_EQ(steps.steps().size(), 3u);
  EXPECT_EQ(steps.window(), (Interval{410, 720}));
}

// The host runs ahead of the device.
TEST(SelectStepsTest, WindowBeginsWhenTheDeviceTurnsToThem) {
  const StepSelection second = Select(TraceFromText(R"(
    thread 1 main
      0..7 ProfileStep#0 ProfileStep
        1..2 cudaGraphLaunch CudaRuntime correlation=1
      8..15 ProfileStep#1 ProfileStep
        9..10 cudaGraphLaunch CudaRuntime correlation=2
      16..23 ProfileStep#2 ProfileStep
        17..18 cudaGraphLaunch CudaRuntime correlation=3
    stream 7 GPU:0
      3..94 a Kernel correlation=1
      97..188 b Kernel correlation=2
      191..283 c Kernel correlation=3)"),
                                      "1:2");
  EXPECT_EQ(Names(*second.trace),
            (Texts{"ProfileStep#1", "cudaGraphLaunch", "b"}));
  EXPECT_EQ(second.trace->begin_ns(), 97);
  EXPECT_EQ(second.trace->end_ns(), 188);
  SummaryOptions options;
  options.views = kDeviceView;
  const Summary summary = ComputeSummary(*second.trace, options);
  EXPECT_DOUBLE_EQ(*summary.device.back().utilization, 1);
}

TEST(SelectStepsTest, WhatIsInNoStepIsLeftOut) {
  const auto trace = TraceFromText(R"(
    thread 1 main
    10..90 ProfileStep#0 ProfileStep
    92..95 between
    100..190 ProfileStep#1 ProfileStep
    200..500 Evaluation
    500..600 ProfileStep#2 ProfileStep rested=1
  )");
  EXPECT_EQ(Names(*Select(trace, "0:2").trace),
            (Texts{"ProfileStep#0", "between", "ProfileStep#1"}));
}

TEST(SelectStepsTest, NoSuchStep) {
  const auto trace = TraceFromText(kLoop);
  const auto selection = SelectSteps(trace, *ParseStepChoice("8:"));
  ASSERT_FALSE(selection);
  EXPECT_EQ(selection.error().message,
            "--steps 8:: no such step was recorded; the trace has steps 4-7");
}

TEST(SelectStepsTest, WithoutSteps) {
  const auto trace = TraceFromText("thread 1 main\n 0..5 a");
  EXPECT_EQ(Select(trace, "all").trace, trace);
  EXPECT_EQ(Select(trace, "settled").trace, trace);
  EXPECT_FALSE(SelectSteps(trace, *ParseStepChoice("0:1")));
}

TEST(SelectStepsTest, EachProcessHasItsOwnWarmUp) {
  const StepSelection settled = Select(TraceFromText(R"(
    process 1 rank=0
    thread 1 main
      0..90 ProfileStep#0 ProfileStep
      90..100 ProfileStep#1 ProfileStep
      100..110 ProfileStep#2 ProfileStep
      110..120 ProfileStep#3 ProfileStep
    process 2 rank=1
    thread 1 main
      0..10 ProfileStep#0 ProfileStep
      10..20 ProfileStep#1 ProfileStep
      20..30 ProfileStep#2 ProfileStep
    process 3 name=loader
    thread 1 main
      50..60 fetch
      200..260 late)"),
                                       "settled");
  EXPECT_EQ(
      Names(*settled.trace),
      (Texts{"ProfileStep#1", "ProfileStep#2", "ProfileStep#3", "ProfileStep#0",
             "ProfileStep#1", "ProfileStep#2", "fetch"}));
}

TEST(SelectStepsTest, OddTracesAreCutToo) {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    const auto trace = RandomTrace(seed).Make();
    for (const char* text : {"settled", "0:1", "1:3", ":2"}) {
      const auto selection = SelectSteps(trace, *ParseStepChoice(text));
      if (!selection) continue;
      ASSERT_NE(selection->trace, nullptr);
      const EventTree tree(*selection->trace);
      const StepTable steps(tree, false);
      ASSERT_LE(selection->trace->size(), trace->size());
      for (const StepInterval& step : steps.steps()) {
        ASSERT_GE(step.period_ns, 0);
      }
    }
  }
}

}  // namespace
}  // namespace stepscope
