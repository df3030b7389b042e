// SPDX-License-Identifier: Apache-2.0
//
// `run --always --budget`: device work is recorded in the steps that the budget
// allows, all of it, and in no others.
#include <gtest/gtest.h>
#include <stepscope/c.h>
#include <stepscope/plugin.h>
#include <unistd.h>

#include <cstdlib>
#include <deque>
#include <filesystem>
#include <string>
#include <vector>

#include "analysis/recording_budget.h"
#include "analysis/step_choice.h"
#include "analysis/steps.h"
#include "fake.h"
#include "importers/capture/capture_file.h"
#include "inject/recording.h"

namespace stepscope {
namespace {

constexpr int kKernels = 3;       // of a step
constexpr int kAlternations = 3;  // of full blocks and others

class Budget : public testing::Test {
 protected:
  void SetUp() override {
    setenv("STEPSCOPE_PLUGIN_PATH", CUPTI_PLUGIN, 1);
    folder_ = testing::TempDir() + "budget_" + std::to_string(getpid());
    std::filesystem::create_directories(folder_);
    inject::Settings settings;
    settings.follow = settings.quiet = true;
    settings.mode = inject::RecordMode::kFlight;
    settings.budget = 0.3;
    settings.keep_steps = 2000;
    settings.slow_factor = -1;
    settings.hang_after_ns = -1;
    settings.out = folder_.c_str();
    inject::recording.Configure(settings);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void Step() {
    inject::recording.Step();
    // Kinds are off whenever calls are not listened to, before and after.
    const bool off = IsOff();
    const std::string& name = names_.emplace_back(std::to_string(step_));
    for (int i = 0; i < kKernels; ++i) fake_.Kernel(name.c_str());
    left_out_.push_back(off && IsOff());
    ++step_;
    usleep(200);
  }
  bool IsOff() { return fake_.count("single_calls") == 0; }

  std::shared_ptr<const Trace> Finish() {
    inject::recording.Finish();
    EXPECT_EQ(stepscope_wait(stepscope_session(), 100000), STEPSCOPE_OK);
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      if (entry.path().extension() != ".sscap") continue;
      const auto trace = ImportCapture(entry.path());
      EXPECT_TRUE(trace.has_value());
      return trace.has_value() ? *trace : nullptr;
    }
    return nullptr;
  }

  Fake& fake_ = Fake::Get();
  std::string folder_;
  std::deque<std::string> names_;
  // The first step ends what was before it, which counts as one.
  std::vector<bool> left_out_ = {false};  // by step: certainly
  int step_ = 1;
};

TEST_F(Budget, GovernsDeviceWork) {
  bool was_off = false;
  for (int alternations = 0; alternations < 2 * kAlternations;) {
    Step();
    if (left_out_.back() == was_off) continue;
    was_off = !was_off;
    ++alternations;
  }
  const auto trace = Finish();
  ASSERT_NE(trace, nullptr);
  EXPECT_EQ(fake_.count("dropped"), 0);
  EXPECT_TRUE(trace->ledger().rejected().empty());

  const EventTree tree(*trace);
  std::vector<int> kernels(left_out_.size());
  for (const DeviceWork& work : tree.work()) {
    const std::string name(trace->str(trace->name()[work.row]));
    const auto step = static_cast<size_t>(std::stoi(name));
    ASSERT_LT(step, kernels.size());
    kernels[step] += work.launch != kNoRow ? 1 : 0;
    EXPECT_FALSE(left_out_[step]) << step;
  }
  const std::vector<FullSteps> full = FindFullSteps(*trace);
  const StepTable steps(tree);
  uint64_t in_full = 0;
  uint64_t empty = 0;
  for (const StepInterval& step : steps.steps()) {
    const auto index = static_cast<size_t>(step.index);
    if (full[0].Has(step.range.begin)) {
      ++in_full;
      EXPECT_EQ(kernels[index], kKernels) << index;
    } else {
      EXPECT_TRUE(step.partly) << index;
      empty += kernels[index] == 0 ? 1 : 0;
    }
  }
  EXPECT_GT(in_full, 0u);
  EXPECT_GT(empty, 0u);

  // A table never sees a step whose work was left out.
  const auto chosen = SelectSteps(tree, steps, StepChoice::Settled());
  ASSERT_TRUE(chosen.has_value());
  EXPECT_LE(chosen->chosen, in_full);
  const EventTree part(*chosen->trace);
  const StepTable settled(part, /*find_warmup=*/false);
  for (const StepInterval& step : settled.steps())
    EXPECT_GT(step.gpu_ns, 0) << step.index;
}

// A program that shows no steps is not governed: nothing could be compared.
TEST_F(Budget, WithoutStepsAllIsRecorded) {
  inject::recording.Wake();
  for (int i = 0; i < 100; ++i) fake_.Kernel();
  EXPECT_EQ(stepscope_device_work(), STEPSCOPE_WORK_RECORDED);
  const auto trace = Finish();
  ASSERT_NE(trace, nullptr);
  EXPECT_EQ(EventTree(*trace).work().size(), 100u);
}

// Those of a trigger are recorded whatever the budget says, from their first
// one on: the device is told when the request comes.
TEST_F(Budget, AheadOfATriggerTheDeviceIsReady) {
  while (!left_out_.back()) Step();
  inject::recording.SetAhead(true);
  while (stepscope_device_work() != STEPSCOPE_WORK_RECORDED) usleep(1000);
  inject::recording.SetTriggered(true);
  const int first = step_;
  for (int i = 0; i < 5; ++i) Step();
  inject::recording.SetTriggered(false);
  inject::recording.SetAhead(false);
  const auto trace = Finish();
  ASSERT_NE(trace, nullptr);
  const std::vector<FullSteps> full = FindFullSteps(*trace);
  const EventTree tree(*trace);
  const StepTable steps(tree);
  int seen = 0;
  for (const StepInterval& step : steps.steps()) {
    if (step.index < first || step.index >= first + 5) continue;
    ++seen;
    EXPECT_TRUE(full[0].Has(step.range.begin)) << step.index;
  }
  EXPECT_GE(seen, 4);  // the last one begun is none
}

}  // namespace
}  // namespace stepscope
