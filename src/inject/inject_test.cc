// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <stepscope/c.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "inject/cpu_sampler.h"
#include "inject/range_name.h"
#include "inject/settings.h"
#include "inject/step_rule.h"
#include "torch/range_kind.h"

namespace stepscope::inject {
namespace {

using Action = StepWindow::Action;

TEST(Settings, ReadsWhatRunSets) {
  const Settings settings = ReadSettings([](const char* name) -> const char* {
    if (std::strcmp(name, "STEPSCOPE_FOLLOW") == 0) return "1";
    if (std::strcmp(name, "STEPSCOPE_STEPS") == 0) return "3:7";
    if (std::strcmp(name, "STEPSCOPE_START_AFTER") == 0) return "1500000000";
    if (std::strcmp(name, "STEPSCOPE_OUT") == 0) return "/out";
    return nullptr;
  });
  EXPECT_TRUE(settings.follow);
  EXPECT_EQ(settings.steps.first, 3);
  EXPECT_EQ(settings.steps.last, 7);
  EXPECT_EQ(settings.start_after_ns, 1'500'000'000);
  EXPECT_STREQ(settings.out, "/out");
  EXPECT_STREQ(settings.start_at, "");
  EXPECT_FALSE(settings.shapes);
}

TEST(Settings, AnEmptyEnvironmentAsksForNothing) {
  const Settings settings =
      ReadSettings([](const char*) -> const char* { return nullptr; });
  EXPECT_FALSE(settings.follow);
  EXPECT_FALSE(settings.steps.given());
}

TEST(Settings, StepsThatMakeNoSenseAreRefused) {
  StepSpan steps;
  for (const char* text : {"", ":", "3", "x:", "7:3", "3:3", "-1:2", "1:2x",
                           "a:b", "1:99999999999999999999"})
    EXPECT_FALSE(ParseSteps(text, &steps)) << text;
  ASSERT_TRUE(ParseSteps(":4", &steps));
  EXPECT_EQ(steps.first, 0);
  EXPECT_EQ(steps.last, 4);
  ASSERT_TRUE(ParseSteps("4:", &steps));
  EXPECT_EQ(steps.first, 4);
  EXPECT_EQ(steps.last, INT64_MAX);
}

TEST(RangeName, PatternsMatchWholeNames) {
  EXPECT_TRUE(Matches("step", "step"));
  EXPECT_FALSE(Matches("step", "step 1"));
  EXPECT_FALSE(Matches("step", "a step"));
  EXPECT_TRUE(Matches("step*", "step 1"));
  EXPECT_TRUE(Matches("*step*", "a step 1"));
  EXPECT_TRUE(Matches("a*b*c", "a-b-b-c"));
  EXPECT_FALSE(Matches("a*b*c", "a-c-b"));
  EXPECT_TRUE(Matches("*", ""));
  EXPECT_TRUE(Matches("", ""));
  EXPECT_FALSE(Matches("", "x"));
  // Backtracks, but not for ever.
  EXPECT_FALSE(Matches("*a*a*a*a*a*a*a*a*b", std::string(2000, 'a')));
}

TEST(RangeName, TorchsAnnotationsHaveKinds) {
  EXPECT_EQ(KindOf("ProfileStep#12"), RangeKind::kStep);
  EXPECT_EQ(KindOf("enumerate(DataLoader)#_MultiProcessingDataLoaderIter."
                   "__next__"),
            RangeKind::kLoaderNext);
  EXPECT_EQ(KindOf("Optimizer.step#AdamW.step"), RangeKind::kOptimizerStep);
  EXPECT_EQ(KindOf("Optimizer.zero_grad#SGD.zero_grad"), RangeKind::kZeroGrad);
  EXPECT_EQ(KindOf("Optimizer.step"), RangeKind::kOther);
  EXPECT_EQ(TypeOf(RangeKind::kLoaderNext), STEPSCOPE_DATALOADER);
  EXPECT_EQ(TypeOf(RangeKind::kOther), STEPSCOPE_USER_DEFINED);
  EXPECT_EQ(TypeOf(KindOf("gloo:all_reduce")), STEPSCOPE_COMMUNICATION);
  EXPECT_EQ(TypeOf(KindOf("nccl:_all_gather_base")), STEPSCOPE_COMMUNICATION);
  EXPECT_EQ(TypeOf(KindOf("my nccl: range")), STEPSCOPE_USER_DEFINED);
}

TEST(StepRule, TheBestHintThatWasSeenDecides) {
  StepRule rule;
  EXPECT_TRUE(rule.Begins(StepHint::kOptimizer, 1));
  EXPECT_TRUE(rule.Begins(StepHint::kOptimizer, 1));
  EXPECT_TRUE(rule.Begins(StepHint::kLoader, 1));
  EXPECT_FALSE(rule.Begins(StepHint::kOptimizer, 1));
  EXPECT_TRUE(rule.Begins(StepHint::kExplicit, 2));
  EXPECT_FALSE(rule.Begins(StepHint::kLoader, 1));
  EXPECT_FALSE(rule.Begins(StepHint::kExplicit, 1)) << "another thread";
}

TEST(StepRule, ZeroGradBeginsOnlyTheFirstStep) {
  StepRule rule;
  EXPECT_TRUE(rule.BeginsWithZeroGrad(1));
  EXPECT_FALSE(rule.BeginsWithZeroGrad(1));
  EXPECT_TRUE(rule.Begins(StepHint::kOptimizer, 1));
}

TEST(StepWindow, StartsAndStopsAtItsSteps) {
  const StepWindow window(2, 4);
  EXPECT_FALSE(window.OpenAtFirst());
  EXPECT_EQ(window.Begin(0), Action::kNone);
  EXPECT_EQ(window.Begin(1), Action::kPrepare);
  EXPECT_EQ(window.Begin(2), Action::kStart);
  EXPECT_EQ(window.Begin(3), Action::kNone);
  EXPECT_EQ(window.Begin(4), Action::kStop);
  EXPECT_EQ(window.Begin(5), Action::kNone);
  EXPECT_EQ(window.End(2), Action::kNone);
  EXPECT_EQ(window.End(3), Action::kStop);
}

TEST(StepWindow, FromTheFirstStepItIsOpenBeforeIt) {
  EXPECT_TRUE(StepWindow(0, 1).OpenAtFirst());
  EXPECT_EQ(StepWindow(0, 1).Begin(0), Action::kNone);
  EXPECT_EQ(StepWindow(0, 1).Begin(1), Action::kStop);
  const StepWindow all;
  EXPECT_TRUE(all.OpenAtFirst());
  EXPECT_EQ(all.Begin(0), Action::kNone);
  EXPECT_EQ(all.End(0), Action::kNone);
}

TEST(CpuSampler, ReadsNameAndTimeOfAThread) {
  char name[32];
  uint64_t ticks = 0;
  ASSERT_TRUE(ParseThreadStat(
      "12 (a) b) S 1 12 12 0 -1 4194304 90 0 0 0 70 30 0 0 20 0 1 0 5 6", name,
      &ticks));
  EXPECT_STREQ(name, "a) b");
  EXPECT_EQ(ticks, 100u);
  EXPECT_FALSE(ParseThreadStat("12 (cut) S 1 12", name, &ticks));
  EXPECT_FALSE(ParseThreadStat("", name, &ticks));
  EXPECT_FALSE(ParseThreadStat(")(", name, &ticks));
}

TEST(CpuSampler, ReadsHowLongAThreadWaited) {
  uint64_t run = 0;
  uint64_t wait = 0;
  ASSERT_TRUE(ParseSchedStat("1003410 107002 2\n", &run, &wait));
  EXPECT_EQ(run, 1003410u);
  EXPECT_EQ(wait, 107002u);
  EXPECT_FALSE(ParseSchedStat("1003410", &run, &wait));
  EXPECT_FALSE(ParseSchedStat("", &run, &wait));
}

TEST(CpuSampler, ReadsTheQuotaOfAContainer) {
  EXPECT_EQ(ParseCpuQuota("150000 100000\n"), 1.5);
  EXPECT_EQ(ParseCpuQuota("max 100000\n"), 0);
  EXPECT_EQ(ParseCpuQuota("1 0"), 0);
  EXPECT_EQ(ParseCpuQuota(""), 0);
}

TEST(CpuSampler, KnowsHowManyProcessorsMayBeUsed) {
  char text[32];
  ASSERT_TRUE(WriteUsableProcessors(text, sizeof(text)));
  EXPECT_GT(std::atof(text), 0);
}

}  // namespace
}  // namespace stepscope::inject
