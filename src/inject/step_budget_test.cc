// SPDX-License-Identifier: Apache-2.0
#include "inject/step_budget.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>

namespace stepscope::inject {
namespace {

// A program whose steps take `step_ns`, and `cost` more if recorded in full,
// with noise and now and then a stall.
struct Program {
  double step_ns = 10e6;
  double cost = 0.1;
  double noise = 0.02;
  double stall_share = 0;
  double drift = 0;      // from the first step to the last
  double switch_ns = 0;  // a step takes longer, if the one before it was not
                         // recorded as it is
  bool full_before = false;
  std::mt19937_64 random{7};
  int64_t now_ns = 1;
  double spent_ns = 0;   // on recording
  double useful_ns = 0;  // without

  void Run(StepBudget& budget, int64_t steps) {
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform;
    for (int64_t i = 0; i < steps; ++i) {
      const bool full = budget.Begin(now_ns, /*alone=*/true);
      double own = step_ns * (1 + noise * normal(random));
      own *= 1 + drift * static_cast<double>(i) / static_cast<double>(steps);
      if (uniform(random) < stall_share) own *= 20;
      double extra = full ? step_ns * cost : 0;
      if (full != full_before) extra += switch_ns;
      full_before = full;
      useful_ns += own;
      spent_ns += extra;
      now_ns += static_cast<int64_t>(own + extra);
    }
  }
};

TEST(CostOf, IsTheMedianWithItsInterval) {
  const double six[] = {0.06, 0.01, 0.05, 0.02, 0.04, 0.03};
  EXPECT_FALSE(CostOf(six, 5).known);
  const RecordingCost cost = CostOf(six, 6);
  EXPECT_TRUE(cost.known);
  EXPECT_DOUBLE_EQ(cost.ratio, 0.035);
  EXPECT_DOUBLE_EQ(cost.low, 0.01);
  EXPECT_DOUBLE_EQ(cost.high, 0.06);
  // Of 20 values, five may be left out at each end: by the binomial
  // distribution the others hold it in 0.959 of the cases; without six, in
  // 0.885.
  double twenty[20];
  for (int i = 0; i < 20; ++i) twenty[i] = i + 1;
  EXPECT_DOUBLE_EQ(CostOf(twenty, 20).low, 6);
  EXPECT_DOUBLE_EQ(CostOf(twenty, 20).high, 15);
}

// The interval holds what it is to hold, in as many cases as it says.
TEST(CostOf, TheIntervalHoldsTheMedianInNineteenOfTwentyCases) {
  std::mt19937_64 random(1);
  std::exponential_distribution<double> skewed;
  const double median = std::log(2);
  for (const uint32_t count : {6u, 9u, 20u, 64u}) {
    int held = 0;
    for (int i = 0; i < 4000; ++i) {
      double ratios[kMostRatios];
      for (uint32_t k = 0; k < count; ++k) ratios[k] = skewed(random);
      const RecordingCost cost = CostOf(ratios, count);
      held += cost.low <= median && median <= cost.high ? 1 : 0;
    }
    EXPECT_GE(held, 3740) << count;  // 0.935 of those drawn
  }
}

TEST(StepBudget, WithoutABudgetThereIsNone) {
  EXPECT_FALSE(StepBudget().on());
  EXPECT_TRUE(StepBudget(0.02, 1).on());
}

// Of long runs, over many programs: recording takes what it may and not much
// less, and the cost that is said is the true one within its interval.
TEST(StepBudget, KeepsTheBudgetAndKnowsTheCost) {
  std::mt19937_64 random(3);
  int held = 0;
  constexpr int kPrograms = 60;
  for (int i = 0; i < kPrograms; ++i) {
    Program program;
    program.step_ns = std::pow(10.0, 6 + 2.5 * (i % 10) / 10);
    program.cost = 0.03 * (1 + i % 12);
    program.noise = 0.005 * (1 + i % 6);
    program.stall_share = i % 3 == 0 ? 0.001 : 0;
    program.drift = i % 4 == 0 ? 0.2 : 0;
    program.random.seed(random());
    StepBudget budget(0.02, random());
    program.Run(budget, 200'000);
    const double spent = program.spent_ns / program.useful_ns;
    EXPECT_LE(spent, 0.025) << i;
    EXPECT_GE(spent, 0.007) << i;
    const RecordingCost cost = budget.cost();
    ASSERT_TRUE(cost.known);
    const double truth = budget.full_share() * program.cost;
    // Drift makes a full step's part of a longer step smaller.
    held += cost.low * 0.8 <= truth && truth <= cost.high * 1.2 ? 1 : 0;
  }
  EXPECT_GE(held, kPrograms * 9 / 10);
}

// A device that takes ten steps' time to be switched on or off: most of what
// recording costs then.
TEST(StepBudget, SwitchingIsPartOfTheCost) {
  std::mt19937_64 random(11);
  int held = 0;
  constexpr int kPrograms = 30;
  for (int i = 0; i < kPrograms; ++i) {
    Program program;
    program.step_ns = 17e6;
    program.cost = 0.02 + 0.01 * (i % 10);
    program.noise = 0.01;
    program.switch_ns = 17e6 * (1 + i % 10);
    program.random.seed(random());
    StepBudget budget(0.02, random());
    program.Run(budget, 300'000);
    const double spent = program.spent_ns / program.useful_ns;
    EXPECT_LE(spent, 0.026) << i;
    EXPECT_GE(spent, 0.005) << i;
    const RecordingCost cost = budget.cost();
    ASSERT_TRUE(cost.known);
    held += cost.low * 0.8 <= spent && spent <= cost.high * 1.2 ? 1 : 0;
  }
  EXPECT_GE(held, kPrograms * 8 / 10);
}

TEST(StepBudget, WhatCostsNothingIsRecordedInMostSteps) {
  Program program;
  program.cost = 0;
  StepBudget budget(0.02, 5);
  program.Run(budget, 100'000);
  EXPECT_GT(budget.full_share(), 0.7);
  EXPECT_LT(budget.full_share(), 0.9);  // or its cost would be unknown
  EXPECT_LE(budget.cost().low, 0);
}

TEST(StepBudget, ABudgetThatCannotBeKeptLeavesFewSteps) {
  Program program;
  program.cost = 40;  // times the step
  StepBudget budget(0.001, 5);
  program.Run(budget, 200'000);
  EXPECT_EQ(budget.blocks_in_group(), 256u);
  EXPECT_GT(budget.cost().low, 0.001);
}

TEST(StepBudget, FirstStepsAreNotCounted) {
  StepBudget budget(0.02, 9);
  int64_t now = 1;
  for (int i = 0; i < 13; ++i) {
    EXPECT_FALSE(budget.Begin(now, true)) << i;
    now += 10'000'000'000;
  }
  EXPECT_EQ(budget.full_share(), 0);
}

// What a trigger recorded says nothing about the steps that were left out.
TEST(StepBudget, GroupsThatSomebodyElseTouchedDoNotCount) {
  StepBudget budget(0.02, 9);
  int64_t now = 1;
  for (int i = 0; i < 20'000; ++i) {
    budget.Begin(now, /*alone=*/false);
    now += 10'000'000;
  }
  EXPECT_FALSE(budget.cost().known);
}

}  // namespace
}  // namespace stepscope::inject
