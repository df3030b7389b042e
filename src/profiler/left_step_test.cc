// SPDX-License-Identifier: Apache-2.0
//
// Steps that a program enters and leaves again.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "profiler/fake_backend_test_support.h"
#include "profiler/profiler_core.h"

namespace stepscope::profiler {
namespace {

class LeftStepTest : public testing::Test {
 protected:
  LeftStepTest()
      : folder_(testing::TempDir() + "stepscope_left_" +
                std::to_string(getpid())) {
    std::filesystem::create_directories(folder_);
  }
  ~LeftStepTest() override { std::filesystem::remove_all(folder_); }

  CoreOptions Options() {
    CoreOptions options;
    options.out_dir = folder_;
    options.print = [](std::string_view) {};
    options.on_trace_ready = [] { return std::string(); };
    return options;
  }
  std::shared_ptr<ProfilerCore> Make(CoreOptions options) {
    return std::make_shared<ProfilerCore>(std::move(options), recorder_,
                                          tools_);
  }

  std::string folder_;
  FakeRecorder recorder_;
  FakeTools tools_;
};

TEST_F(LeftStepTest, WhatFollowsALeftStepIsInNone) {
  auto core = Make(Options());
  EXPECT_EQ(core->LeaveStep(), STEPSCOPE_NOT_RUNNING);
  core->Start();
  recorder_.Advance(2'000'000);
  core->Step(-1);
  EXPECT_EQ(core->LeaveStep(), STEPSCOPE_OK);
  EXPECT_EQ(core->LeaveStep(), STEPSCOPE_OK);
  int validation = 0;
  core->BeginRead(&validation);
  recorder_.Advance(700'000'000);
  EXPECT_EQ(core->Resume(), STEPSCOPE_OK);
  int training = 0;
  core->BeginRead(&training);
  recorder_.Advance(2'000'000);
  core->Step(-1);
  core->LeaveStep();
  EXPECT_EQ(core->step_number(), 2);
  core->Stop();
  EXPECT_EQ(recorder_.log.Take(),
            "start step#0 end step#1 taken-back rested#1 end step#2 taken-back "
            "stop");
  EXPECT_EQ(core->StepInfo(""), " batch_cost: 0.00200 s ips: 500.000 steps/s");
  core->Close();
}

TEST_F(LeftStepTest, StepEntersAStepThatWasLeft) {
  CoreOptions options = Options();
  options.flags |= STEPSCOPE_START_AT_REST;
  auto core = Make(std::move(options));
  core->Start();
  core->Reset();
  core->Step(-1);
  EXPECT_EQ(core->step_number(), 0);
  core->Step(-1);
  core->Stop();
  EXPECT_EQ(recorder_.log.Take(),
            "start stop start step#0 end step#1 end stop");
  core->Close();
}

TEST_F(LeftStepTest, UnrecordedStepsAreTimedFromWhereTheyAreEntered) {
  CoreOptions options = Options();
  options.scheduler = [](int64_t) { return STEPSCOPE_STATE_CLOSED; };
  auto core = Make(std::move(options));
  core->Start();
  recorder_.Advance(2'000'000);
  core->Step(-1);
  core->LeaveStep();
  recorder_.Advance(700'000'000);
  core->Resume();
  recorder_.Advance(3'000'000);
  core->Step(-1);
  EXPECT_EQ(recorder_.unrecorded, (std::vector<int64_t>{2'000'000, 3'000'000}));
  core->Close();
}

}  // namespace
}  // namespace stepscope::profiler
