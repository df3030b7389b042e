// SPDX-License-Identifier: Apache-2.0
#include "analysis/compare/step_change.h"

#include <gtest/gtest.h>

#include <vector>

#include "analysis/compare/planted_noise_test_support.h"
#include "base/whole_or_part.h"

namespace stepscope {
namespace {

using Kind = GateAnswer::Kind;
constexpr double kStep = 1e7;  // ns

TEST(StepChangeTest, ASeriesIsLikeItself) {
  PlantedNoise noise(1);
  for (const size_t n : {1, 2, 3, 4, 5, 20, 100}) {
    const std::vector<int64_t> steps = noise.Steps(n, kStep, 0.1);
    const StepChange change = CompareSteps(steps, steps);
    EXPECT_EQ(change.ratio, 0);
    EXPECT_EQ(change.p, 1) << n;
    EXPECT_EQ(change.verdict(), n < 3 ? Verdict::kUnknown : Verdict::kSame);
    for (const double asked : {0.0, 0.01, 0.5}) {
      EXPECT_NE(AskGate(change, asked).kind, Kind::kSlower);
    }
  }
}

TEST(StepChangeTest, APlantedRegressionIsFound) {
  for (uint64_t seed = 0; seed < 30; ++seed) {
    PlantedNoise noise(seed);
    const StepChange change = CompareSteps(noise.Steps(20, kStep, 0.02),
                                           noise.Steps(20, 1.1 * kStep, 0.02));
    EXPECT_EQ(change.verdict(), Verdict::kSlower) << seed;
    EXPECT_NEAR(change.ratio, 0.1, 0.03) << seed;
    EXPECT_LT(change.p, 1e-3) << seed;
    EXPECT_EQ(AskGate(change, 0.05).kind, Kind::kSlower) << seed;
    EXPECT_EQ(AskGate(change, 0.2).kind, Kind::kNotSlower) << seed;
    const StepChange back = CompareSteps(change.periods_b, change.periods_a);
    EXPECT_EQ(back.verdict(), Verdict::kFaster) << seed;
    EXPECT_EQ(AskGate(back, 0).kind, Kind::kNotSlower) << seed;
  }
}

// The rule may cry wolf in 5 of 100 pairs at most, whether B is as fast as A
// or slower by just what is allowed.
TEST(StepChangeTest, NoiseFailsTheGateNoMoreOftenThanStated) {
  constexpr int kPairs = WholeOrPart(200, 20);
  for (const size_t n : {3, 4, 7, 20}) {
    for (const double planted : {0.0, 0.05}) {
      int alarms = 0;
      int differs = 0;
      PlantedNoise noise(n);
      for (int i = 0; i < kPairs; ++i) {
        const StepChange change =
            CompareSteps(noise.Steps(n, kStep, 0.1),
                         noise.Steps(n + i % 2, kStep * (1 + planted), 0.1));
        alarms += change.IsSlowerBy(planted);
        differs += change.verdict() != Verdict::kSame;
      }
      EXPECT_LE(alarms, kPairs * 5 / 100) << n << " steps, +" << planted;
      if (planted == 0) {
        EXPECT_LE(differs, kPairs * 10 / 100) << n;
      }
    }
  }
}

TEST(StepChangeTest, OneOutlierIsNoRegression) {
  PlantedNoise noise(3);
  std::vector<int64_t> a = noise.Steps(20, kStep, 0.01);
  std::vector<int64_t> b = noise.Steps(20, kStep, 0.01);
  b[7] *= 50;  // the mean rises by a factor of 3.5
  EXPECT_EQ(CompareSteps(a, b).verdict(), Verdict::kSame);
  EXPECT_EQ(AskGate(CompareSteps(a, b), 0.05).kind, Kind::kNotSlower);
}

TEST(StepChangeTest, SaysHowManyStepsAreNeeded) {
  PlantedNoise noise(4);
  const StepChange change =
      CompareSteps(noise.Steps(10, kStep, 0.15), noise.Steps(10, kStep, 0.15));
  const GateAnswer answer = AskGate(change, 0.05);
  EXPECT_EQ(answer.kind, Kind::kUnresolved);
  const double times = change.resolvable() / 0.05;
  ASSERT_TRUE(answer.steps_needed);
  EXPECT_NEAR(static_cast<double>(*answer.steps_needed), 10 * times * times, 1);
  EXPECT_NE(answer.text.find("5 % asked, "), std::string::npos);
  EXPECT_NE(
      answer.text.find(" % resolvable: record " +
                       std::to_string(*answer.steps_needed - 10) +
                       " more steps (" + std::to_string(*answer.steps_needed) +
                       " settled steps on each side)"),
      std::string::npos)
      << answer.text;
  // And so many do resolve it, roughly.
  const StepChange more =
      CompareSteps(noise.Steps(*answer.steps_needed, kStep, 0.15),
                   noise.Steps(*answer.steps_needed, kStep, 0.15));
  EXPECT_LT(more.resolvable(), 0.05 * 1.5);
}

TEST(StepChangeTest, TooCloseToTell) {
  PlantedNoise noise(6);
  const StepChange change = CompareSteps(noise.Steps(50, kStep, 0.02),
                                         noise.Steps(50, 1.05 * kStep, 0.02));
  const GateAnswer answer = AskGate(change, 0.05);
  EXPECT_EQ(answer.kind, Kind::kUnresolved);
  EXPECT_NE(answer.text.find("too close to 5 % to tell"), std::string::npos)
      << answer.text;
}

TEST(StepChangeTest, TooFewStepsConcludeNothing) {
  const std::vector<int64_t> two = {100, 100};
  const std::vector<int64_t> slow = {900, 900, 900, 900};
  for (const StepChange& change :
       {CompareSteps(two, slow), CompareSteps({}, slow),
        CompareSteps({}, {})}) {
    EXPECT_EQ(change.verdict(), Verdict::kUnknown);
    EXPECT_FALSE(change.StepsNeeded(0.05));
    const GateAnswer answer = AskGate(change, 0.05);
    EXPECT_EQ(answer.kind, Kind::kUnresolved);
    EXPECT_NE(answer.text.find("nothing can be concluded"), std::string::npos);
  }
  // Three on each side are enough, if they are far apart.
  EXPECT_EQ(AskGate(CompareSteps({100, 102, 101}, {150, 153, 149}), 0.05).kind,
            Kind::kSlower);
}

TEST(StepChangeTest, OddNumbers) {
  // Equal steps: any difference is beyond noise, and none is invented.
  const std::vector<int64_t> equal(5, 1000);
  EXPECT_EQ(AskGate(CompareSteps(equal, equal), 0).kind, Kind::kNotSlower);
  EXPECT_EQ(CompareSteps(equal, equal).StepsNeeded(0), 3U);
  // Steps of no length have no ratio.
  const std::vector<int64_t> zero(5, 0);
  const StepChange none = CompareSteps(zero, equal);
  EXPECT_EQ(none.verdict(), Verdict::kUnknown);
  EXPECT_NE(AskGate(none, 0.05).text.find("take no time"), std::string::npos);
  EXPECT_EQ(CompareSteps(equal, zero).verdict(), Verdict::kFaster);
  // What is asked may be nothing, and steps as long as they can be.
  PlantedNoise noise(8);
  const StepChange change =
      CompareSteps(noise.Steps(9, kStep, 0.1), noise.Steps(9, kStep, 0.1));
  EXPECT_FALSE(change.StepsNeeded(0));
  EXPECT_FALSE(change.StepsNeeded(1e-12));
  const std::vector<int64_t> huge(4, INT64_MAX);
  EXPECT_EQ(AskGate(CompareSteps(huge, huge), 0.05).kind, Kind::kNotSlower);
}

TEST(StepChangeTest, ACrowdedMachineConcludesLess) {
  const std::vector<int64_t> slow(20, 100'000);
  const std::vector<int64_t> fast(20, 60'000);
  StepChange change = CompareSteps(slow, fast);
  ASSERT_EQ(change.verdict(), Verdict::kFaster);
  // Alone, A may have taken half of its time.
  AllowForCrowding(0.5, 0, change);
  EXPECT_EQ(change.verdict(), Verdict::kSame);
  EXPECT_NEAR(change.low, -0.4, 1e-9);
  EXPECT_NEAR(change.high, 0.2, 1e-9);
  const GateAnswer answer = AskGate(change, 0.05);
  EXPECT_EQ(answer.kind, GateAnswer::Kind::kUnresolved);
  EXPECT_FALSE(answer.steps_needed.has_value());
  EXPECT_NE(answer.text.find("other programs used the machine"),
            std::string::npos);

  // What others had cannot have made B faster.
  StepChange other = CompareSteps(slow, fast);
  AllowForCrowding(0, 0.5, other);
  EXPECT_EQ(other.verdict(), Verdict::kFaster);
}

}  // namespace
}  // namespace stepscope
