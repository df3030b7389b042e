// SPDX-License-Identifier: Apache-2.0
//
// Advice about steps that are the host's alone. Times are drawn in
// microseconds.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "analysis/advice/host_program_test_support.h"

namespace stepscope {
namespace {

TEST(HostAdviceTest, TheLargestOwnTimeIsFirstAndReplayed) {
  HostProgram program;
  program.Add(10, 900, "aten::linear Operator")
      .Add(20, 820, "aten::addmm Operator")
      .Add(905, 980, "aten::relu Operator");
  const Advice advice = program.Ask();
  ASSERT_FALSE(advice.findings.empty());
  const Finding& first = advice.findings[0];
  EXPECT_EQ(first.id, "own_time");
  EXPECT_EQ(first.finding,
            "\"aten::addmm\" takes 800.00 us per step "
            "(median) by itself.");
  EXPECT_EQ(first.change, "self:aten::addmm=0.5");
  EXPECT_TRUE(first.replayed);
  EXPECT_EQ(first.saving_ns, 400'000);
  EXPECT_TRUE(Says(first, "\"aten::linear\" (10 calls)"));
}

TEST(HostAdviceTest, OwnTimeIsWithoutWhatIsInside) {
  HostProgram program;
  program.Add(10, 970, "\"train (a.py:1)\" PythonFunction")
      .Add(20, 320, "aten::mm Operator")
      .Add(330, 630, "aten::mm Operator");
  const Advice advice = program.Ask();
  const Finding* own = FindHost(advice, "own_time");
  ASSERT_NE(own, nullptr);
  EXPECT_EQ(own->change, "self:aten::mm=0.5");
  EXPECT_EQ(own->saving_ns, 300'000);
}

TEST(HostAdviceTest, ASlowCallbackIsFirst) {
  HostProgram program = Training();
  program.Add(270, 970, "\"Log.on_step_end (a.py:9)\" PythonFunction")
      .Add(280, 960, "\"Log.write (a.py:12)\" PythonFunction");
  const Advice advice = program.Ask();
  ASSERT_FALSE(advice.findings.empty());
  const Finding& first = advice.findings[0];
  EXPECT_EQ(first.id, "callback");
  EXPECT_EQ(first.saving_ns, 700'000);
  EXPECT_TRUE(Says(first, "Log.write"));
  EXPECT_TRUE(Says(first, "10 calls in 10 of 10 steps"));
  // What it does inside is not said again.
  const Finding* own = FindHost(advice, "own_time");
  ASSERT_NE(own, nullptr);
  EXPECT_EQ(own->change.find("Log"), std::string::npos);
}

TEST(HostAdviceTest, TheProgramAroundTheStepsIsNoCallback) {
  HostProgram program = Training();
  program.In(0, -900'000, 11'000, "\"<module> (a.py:1)\" PythonFunction");
  EXPECT_EQ(FindHost(program.Ask(), "callback"), nullptr);
}

TEST(HostAdviceTest, WhatIsInAStageOrAroundStagesIsNoCallback) {
  HostProgram program;
  program.Add(5, 980, "\"train_step (a.py:1)\" PythonFunction")
      .Add(10, 500, "forward Forward")
      .Add(20, 490, "\"Model.forward (a.py:5)\" PythonFunction")
      .Add(510, 960, "backward Backward");
  EXPECT_EQ(FindHost(program.Ask(), "callback"), nullptr);
}

TEST(HostAdviceTest, EvaluationInFewStepsIsAnAverage) {
  HostProgram program = Training();
  program.In(4, 270, 970, "\"evaluate (a.py:9)\" PythonFunction");
  const Advice advice = program.Ask();
  const Finding* found = FindHost(advice, "evaluation");
  ASSERT_NE(found, nullptr);
  EXPECT_TRUE(found->average);
  EXPECT_EQ(found->saving_ns, 70'000);  // 700 us in one step of ten
  EXPECT_NEAR(found->saving_ratio, 700.0 / 9900, 1e-6);
  EXPECT_TRUE(Says(*found, "in 1 of 10 steps"));
}

// What is inside a rare range is not said to be of every step.
TEST(HostAdviceTest, OwnTimeIsWithoutTheEvaluation) {
  HostProgram program = Training();
  program.Add(270, 400, "aten::relu Operator")
      .In(4, 410, 970, "\"evaluate (a.py:9)\" PythonFunction")
      .In(4, 420, 960, "aten::mm Operator");
  const Advice advice = program.Ask();
  EXPECT_NE(FindHost(advice, "evaluation"), nullptr);
  const Finding* own = FindHost(advice, "own_time");
  ASSERT_NE(own, nullptr);
  EXPECT_EQ(own->change, "self:aten::relu=0.5");
  EXPECT_LE(own->saving_ns, 65'000);
}

TEST(HostAdviceTest, CheckpointsAreNamedAsSuch) {
  HostProgram program = Training();
  program.Add(270, 970, "\"save_checkpoint (a.py:9)\" PythonFunction");
  EXPECT_NE(FindHost(program.Ask(), "checkpoint"), nullptr);
}

TEST(HostAdviceTest, TimeWithoutEventsIsPlaced) {
  HostProgram program = Training();
  const Advice advice = program.Ask();
  ASSERT_FALSE(advice.findings.empty());
  const Finding& first = advice.findings[0];
  EXPECT_EQ(first.id, "unrecorded");
  EXPECT_EQ(first.change, "self:ProfileStep#*=0.5");
  // 10 before, 10 + 10 between and 730 after.
  EXPECT_EQ(first.saving_ns, 380'000);
  EXPECT_TRUE(Says(first, "after \"Optimizer.step#SGD.step\""));
}

// What other threads do meanwhile is not "nothing": the thread of the steps
// may wait for it. As XLA's on the CPU.
TEST(HostAdviceTest, TimeInWhichOtherThreadsWorkWasRecorded) {
  HostProgram program = Training();
  std::string others = "thread 2 executor\n";
  for (int step = 0; step < kHostSteps; ++step) {
    const int at = step * kHostStepUs * 1000;
    others += std::to_string(at + 300'000) + ".." +
              std::to_string(at + 800'000) + " dot\n";
  }
  program.Raw(others);
  const Advice advice = program.Ask();
  const Finding* const unrecorded = FindHost(advice, "unrecorded");
  ASSERT_NE(unrecorded, nullptr);
  // 760 less the 500 of the executor; no replay knows what was waited for.
  EXPECT_EQ(unrecorded->measured_ns, 130'000);
  EXPECT_EQ(unrecorded->change, "");
  EXPECT_NE(unrecorded->finding.find("260.00 us"), std::string::npos)
      << unrecorded->finding;
}

TEST(HostAdviceTest, ASlowStepIsExplainedByItsNeighbours) {
  HostProgram program = Training();
  program.Add(270, 300, "log");
  // Step 9 is the last and may be longer.
  program.In(9, 310, 9000, "\"Log.flush (a.py:3)\" PythonFunction");
  program.LastStepEnds(9100);
  const Advice advice = program.Ask();
  const Finding* found = FindHost(advice, "slow_step");
  ASSERT_NE(found, nullptr);
  EXPECT_NE(found->finding.find("Step 9 took 8.11 ms more than the usual"),
            std::string::npos);
  EXPECT_NE(found->finding.find("\"Log.flush (a.py:3)\" took 8.69 ms more"),
            std::string::npos);
  EXPECT_TRUE(found->average);
  EXPECT_LT(found->saving_ratio, 1);
  EXPECT_EQ(found->saving_ns, 811'000);  // 8110 us in one step of ten
}

TEST(HostAdviceTest, SmallOperatorsCostTheTimeBetweenThem) {
  HostProgram program;
  for (int i = 0; i < 60; ++i) {
    program.Add(10 + i * 16, 13 + i * 16, "aten::add Operator");
  }
  const Advice advice = program.Ask();
  const Finding* found = FindHost(advice, "small_operators");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->saving_ns, 59 * 13'000);
  EXPECT_TRUE(Says(*found, "60 operators per step"));
  EXPECT_TRUE(Says(*found, "600 calls are of \"aten::add\""));
}

// A job on two processors; `use`: of the process in cores, of the machine.
Advice AdviceWithUse(const std::string& use) {
  HostProgram program = Training();
  program.Raw("process 100 cpus=2\ncpu " + use + "\n");
  return program.Ask();
}

TEST(HostAdviceTest, ABusyMachineIsSaidFirst) {
  const Advice crowded = AdviceWithUse("0.9 0.99");
  ASSERT_FALSE(crowded.doubts.empty());
  EXPECT_NE(crowded.doubts[0].find("busy with other programs"),
            std::string::npos);
  EXPECT_NE(crowded.doubts[0].find("1.1 of 2 processors, this job 0.9"),
            std::string::npos);
  for (const char* use : {"1.9 0.99", "0.9 0.6"}) {
    for (const std::string& doubt : AdviceWithUse(use).doubts) {
      EXPECT_EQ(doubt.find("other programs"), std::string::npos) << use;
    }
  }
}

TEST(HostAdviceTest, ADeviceThatWorksOutsideTheStepsIsNotCalledIdle) {
  HostProgram program = Training();
  program.Raw("stream 7 GPU:0\n20000000..30000000 gemm Kernel\n");
  const Advice advice = program.Ask();
  EXPECT_EQ(FindHost(advice, "device_idle"), nullptr);
  EXPECT_LT(advice.device_busy, 0);
  EXPECT_TRUE(std::any_of(
      advice.doubts.begin(), advice.doubts.end(), [](const std::string& doubt) {
        return doubt.find("outside the steps") != std::string::npos;
      }));
}

}  // namespace
}  // namespace stepscope
