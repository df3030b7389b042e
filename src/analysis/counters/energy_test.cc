// SPDX-License-Identifier: Apache-2.0
//
// Energy of times beside a sum over single nanoseconds, and of steps of several
// devices beside what was measured.
#include "analysis/counters/energy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>

#include "analysis/summary.h"
#include "analysis/tables/all_tables.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope {
namespace {

class RandomWindows {
 public:
  explicit RandomWindows(uint32_t seed) : random_(seed) {
    for (int64_t at = Draw(30); at < 300;) {
      const int64_t end = at + 1 + Draw(60);
      const int64_t mj = Draw(500);
      windows.push_back({{at, end}, mj, Draw(mj + 1)});
      at = end + (Draw(3) == 0 ? Draw(30) : 0);
    }
  }
  int64_t Draw(int64_t below) {
    return static_cast<int64_t>(random_() % static_cast<uint64_t>(below));
  }

  std::vector<EnergyWindow> windows;

 private:
  std::mt19937 random_;
};

// Of a window of L nanoseconds, nanosecond k has what rounds down to whole
// millijoules up to its end, less what did so before it.
EnergyPart SumByHand(const std::vector<EnergyWindow>& windows,
                     const Interval& time) {
  EnergyPart part;
  for (size_t i = 0; i < windows.size(); ++i) {
    const EnergyWindow& window = windows[i];
    const int64_t whole = window.time.end - window.time.begin;
    int64_t ns = 0;
    for (int64_t k = 0; k < whole; ++k) {
      const int64_t at = window.time.begin + k;
      if (at < time.begin || at >= time.end) continue;
      ++ns;
      part.mj += window.mj * (k + 1) / whole - window.mj * k / whole;
    }
    part.measured_ns += ns;
    if (ns == 0) continue;
    const auto is_whole = [&](size_t other) {
      return windows[other].time.begin >= time.begin &&
             windows[other].time.end <= time.end;
    };
    if (!is_whole(i)) {
      part.shared = true;
      part.error_mj += 2 * window.step_mj * ns / whole + 1;
      continue;
    }
    if (i == 0 || windows[i - 1].time.end != window.time.begin ||
        !is_whole(i - 1))
      part.error_mj += window.step_mj;
    if (i + 1 == windows.size() ||
        windows[i + 1].time.begin != window.time.end || !is_whole(i + 1))
      part.error_mj += window.step_mj;
  }
  return part;
}

TEST(EnergyPropertyTest, FastSumsAreSlowSums) {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    RandomWindows random(seed);
    const DeviceEnergy device(0, 0, random.windows);
    EnergyPart sum;
    // Times that follow one another have all of it, to the millijoule.
    for (int64_t at = -5; at < 400;) {
      const Interval time{at, at + 1 + random.Draw(90)};
      const EnergyPart have = device.Of(time);
      const EnergyPart want = SumByHand(random.windows, time);
      ASSERT_EQ(have.mj, want.mj) << seed;
      ASSERT_EQ(have.error_mj, want.error_mj) << seed;
      ASSERT_EQ(have.measured_ns, want.measured_ns) << seed;
      ASSERT_EQ(have.shared, want.shared) << seed;
      sum.Add(have);
      at = time.end;
    }
    int64_t mj = 0;
    for (const EnergyWindow& window : random.windows) mj += window.mj;
    ASSERT_EQ(sum.mj, mj) << seed;
    ASSERT_EQ(device.All().mj, mj) << seed;
    ASSERT_EQ(device.All().measured_ns, sum.measured_ns) << seed;
  }
}

// Two devices of one process. Steps of 3 s with a pause before the last, in
// windows of 2 s of which one was lost.
constexpr std::string_view kTwoDevices = R"t(
  process 1 rank=0
  thread 1
    1000000000..4000000000 ProfileStep#0 ProfileStep
    4000000000..7000000000 ProfileStep#1 ProfileStep
    8000000000..8500000000 ProfileStep#2 ProfileStep
    8500000000..9000000000 ProfileStep#3 ProfileStep
  counter 0 "GPU 0: energy (J)" 800.001
  counter 2000000000 "GPU 0: energy (J)" 900.002
  counter 4000000000 "GPU 0: energy (J)" nan
  counter 8000000000 "GPU 0: energy (J)" 700.0
  counter 10000000000 "GPU 0: energy (J)" nan
  counter 0 "GPU 0: energy counter step (J)" 13.0
  counter 2000000000 "GPU 0: energy counter step (J)" 12.5
  counter 4000000000 "GPU 0: energy counter step (J)" nan
  counter 8000000000 "GPU 0: energy counter step (J)" 10.0
  counter 10000000000 "GPU 0: energy counter step (J)" nan
  counter 1000000000 "GPU 1: energy (J)" 100.0
  counter 4000000000 "GPU 1: energy (J)" 50.0
  counter 9000000000 "GPU 1: energy (J)" nan
  counter 1000000000 "GPU 1: energy counter step (J)" 2.0
  counter 4000000000 "GPU 1: energy counter step (J)" 1.0
  counter 9000000000 "GPU 1: energy counter step (J)" nan
  )t";

Summary SummaryOf(std::string_view text, const SummaryOptions& options = {}) {
  static std::shared_ptr<const Trace> trace;
  trace = TraceFromText(text);
  auto summary = ComputeSummaryOfSteps(*trace, options);
  EXPECT_TRUE(summary.has_value());
  return std::move(*summary);
}

SummaryOptions AllSteps() {
  SummaryOptions options;
  options.steps = StepChoice::All();
  return options;
}

TEST(EnergyTest, EachDeviceHasItsOwn) {
  const Summary summary = SummaryOf(kTwoDevices, AllSteps());
  ASSERT_EQ(summary.energy.size(), 2u);
  const EnergyRow& first = summary.energy[0];
  EXPECT_EQ(first.device, "GPU0");
  EXPECT_EQ(first.all.mj, 2'400'003);
  EXPECT_EQ(first.all.measured_ns, 6'000'000'000);
  EXPECT_EQ(first.all.error_mj, 13'000 + 12'500 + 2 * 10'000);
  // Half a window and a whole one; nothing; a quarter of the last one, twice.
  EXPECT_EQ(first.in_steps.mj, 400'001 + 900'002 + 2 * 175'000);
  EXPECT_EQ(first.outside_mj(), 400'000 + 350'000);
  EXPECT_NEAR(*first.watts(), 400.0005, 1e-9);
  // The second step was not measured.
  EXPECT_EQ(first.steps, 3u);
  EXPECT_TRUE(first.shared);
  EXPECT_NEAR(*first.joules_per_step(), 1650.003 / 3, 1e-9);
  const EnergyRow& second = summary.energy[1];
  EXPECT_EQ(second.device, "GPU1");
  EXPECT_EQ(second.all.mj, 150'000);
  EXPECT_EQ(second.in_steps.mj, 100'000 + 30'000 + 10'000);
  EXPECT_EQ(second.steps, 4u);
}

// Of all devices of its process; together with what is outside, all of it.
TEST(EnergyTest, StepsAndTheRestAreTheWhole) {
  const Summary summary = SummaryOf(kTwoDevices, AllSteps());
  ASSERT_EQ(summary.steps.size(), 4u);
  ASSERT_TRUE(summary.steps[0].energy);
  EXPECT_EQ(summary.steps[0].energy->part.mj, 400'001 + 900'002 + 100'000);
  EXPECT_EQ(summary.steps[0].energy->measured_ratio(), 1);
  EXPECT_TRUE(summary.steps[0].energy->part.shared);
  EXPECT_EQ(summary.steps[1].energy->part.mj, 30'000);
  EXPECT_EQ(summary.steps[1].energy->measured_ratio(), 0.5);
  int64_t mj = 0;
  for (const StepRow& step : summary.steps) mj += step.energy->part.mj;
  for (const EnergyRow& device : summary.energy) mj += device.outside_mj();
  EXPECT_EQ(mj, 2'400'003 + 150'000);
}

TEST(EnergyTest, OnlyChosenStepsAreAveraged) {
  SummaryOptions options;
  options.steps = StepChoice{StepChoice::Kind::kRange, 2, 4};
  const Summary summary = SummaryOf(kTwoDevices, options);
  ASSERT_EQ(summary.energy.size(), 2u);
  EXPECT_EQ(summary.energy[0].steps, 2u);
  EXPECT_NEAR(*summary.energy[0].joules_per_step(), 175, 1e-9);
  // Half of a window: half of what both of its ends may be off by.
  EXPECT_NEAR(*summary.energy[0].error_per_step(), (10.0 + 0.001) / 2, 1e-9);
  EXPECT_EQ(summary.energy[0].all.mj, 2'400'003);
}

// As Profiler.step(num_samples) records it. A step that does not say how many
// it worked on would make the others' samples too dear.
TEST(EnergyTest, OfASampleWhereEachStepThatCountsSaysHowMany) {
  const std::string said = R"t(
    thread 1
      0..2000000000 ProfileStep#0 ProfileStep samples=30
      2000000000..4000000000 ProfileStep#1 ProfileStep samples=10
      4000000000..6000000000 ProfileStep#2 ProfileStep
    counter 0 "GPU 0: energy (J)" 100.0
    counter 2000000000 "GPU 0: energy (J)" 200.0
    counter 4000000000 "GPU 0: energy (J)" 400.0
    counter 6000000000 "GPU 0: energy (J)" nan
    counter 0 "GPU 0: energy counter step (J)" 5.0
    counter 2000000000 "GPU 0: energy counter step (J)" 5.0
    counter 4000000000 "GPU 0: energy counter step (J)" 5.0
    )t";
  SummaryOptions options;
  options.steps = StepChoice{StepChoice::Kind::kRange, 0, 2};
  const EnergyRow chosen = SummaryOf(said, options).energy.at(0);
  EXPECT_EQ(chosen.samples, 40);
  EXPECT_NEAR(*chosen.joules_per_sample(), 300.0 / 40, 1e-9);
  EXPECT_NEAR(*chosen.error_per_sample(), 10.0 / 40, 1e-9);
  const EnergyRow all = SummaryOf(said, AllSteps()).energy.at(0);
  EXPECT_EQ(all.steps, 3u);
  EXPECT_EQ(all.joules_per_sample(), std::nullopt);
}

TEST(EnergyTest, StepsOfWholeWindowsAreNoShares) {
  const Summary summary = SummaryOf(R"t(
    thread 1
      0..2000000000 ProfileStep#0 ProfileStep
      2000000000..6000000000 ProfileStep#1 ProfileStep
    counter 0 "GPU 0: energy (J)" 100.0
    counter 2000000000 "GPU 0: energy (J)" 200.0
    counter 4000000000 "GPU 0: energy (J)" 300.0
    counter 6000000000 "GPU 0: energy (J)" nan
    counter 0 "GPU 0: energy counter step (J)" 5.0
    counter 2000000000 "GPU 0: energy counter step (J)" 6.0
    counter 4000000000 "GPU 0: energy counter step (J)" 7.0
    )t",
                                    AllSteps());
  ASSERT_EQ(summary.energy.size(), 1u);
  EXPECT_FALSE(summary.energy[0].shared);
  EXPECT_EQ(summary.steps[0].energy->part.error_mj, 10'000);
  EXPECT_EQ(summary.steps[1].energy->part.error_mj, 13'000);
  EXPECT_EQ(summary.energy[0].all.error_mj, 12'000);
  EXPECT_EQ(summary.energy[0].outside_mj(), 0);
}

// Power alone, energy without its counter's step, values that cannot be.
TEST(EnergyTest, WhatMakesNoSenseIsNotMeasured) {
  EXPECT_TRUE(SummaryOf("counter 0 \"GPU 0: power (W)\" 100.0\n"
                        "counter 2000000000 \"GPU 0: power (W)\" nan\n")
                  .energy.empty());
  EXPECT_TRUE(SummaryOf("counter 0 \"GPU 0: energy (J)\" 100.0\n"
                        "counter 2000000000 \"GPU 0: energy (J)\" nan\n")
                  .energy.empty());
  for (const char* value : {"-1.0", "1e300", "0.5"}) {
    const std::string energy = "\"GPU 0: energy (J)\" ";
    const std::string step = "\"GPU 0: energy counter step (J)\" ";
    EXPECT_TRUE(SummaryOf("counter 0 " + energy + value + "\ncounter 9 " +
                          energy + "nan\ncounter 0 " + step + "1.0\n")
                    .energy.empty())
        << value;
  }
  const DeviceEnergy none(0, 0, {});
  EXPECT_EQ(none.All().mj, 0);
}

// Times from a file that lies.
TEST(EnergyTest, LongestTimesThatThereAre) {
  const int64_t least = INT64_MIN + 1;
  const DeviceEnergy device(0, 0, {{{least, -1}, int64_t{1} << 60, 7}});
  EXPECT_EQ(device.Of({least, INT64_MAX}).mj, int64_t{1} << 60);
  EXPECT_EQ(device.Of({least, least / 2}).mj, int64_t{1} << 59);
}

}  // namespace
}  // namespace stepscope
