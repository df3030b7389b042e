// SPDX-License-Identifier: Apache-2.0
#include "analysis/unprofiled.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "trace/build/trace_builder.h"

namespace stepscope {
namespace {

using Pairs = std::vector<std::pair<const char*, const char*>>;

// Of one process for each list of metadata.
std::shared_ptr<const Trace> Make(const std::vector<Pairs>& processes) {
  TraceBuilder builder;
  for (const Pairs& pairs : processes) {
    Process process;
    for (const auto& [key, value] : pairs) {
      process.metadata.emplace_back(builder.Intern(key), builder.Intern(value));
    }
    builder.AddProcess(process);
  }
  return *builder.Finish();
}

constexpr int64_t kMillisecond = 1'000'000;

UnprofiledJudgement Judge(const char* times,
                          const std::vector<int64_t>& recorded) {
  return JudgeUnprofiledStep(*Make({{{"unprofiled_times_ns", times}}}),
                             recorded, std::nullopt);
}

TEST(UnprofiledTest, IsInTheMetadata) {
  const auto trace = Make({{{"unprofiled_times_ns", "14 15 16"}}});
  const auto step = FindUnprofiledStep(*trace);
  ASSERT_TRUE(step);
  EXPECT_EQ(step->ns, 15);
  EXPECT_EQ(step->count, 3u);
  EXPECT_TRUE(TimedUnrecordedSteps(*trace));
  EXPECT_FALSE(TimedUnrecordedSteps(*Make({{{"other", "14"}}})));
}

TEST(UnprofiledTest, SaysWhatRecordingCost) {
  const auto judged =
      Judge("14900000 14900000 14900000", {15'794'000, 15'794'000, 15'794'000});
  ASSERT_TRUE(judged.step);
  EXPECT_EQ(judged.doubt, "");
  EXPECT_EQ(SlowDownText(*judged.step, 15'794'000),
            "Recorded steps took 1.06 x the unrecorded ones (14.90 ms, median "
            "of 3).");
}

TEST(UnprofiledTest, WarmUpIsNoBaseline) {
  const std::vector<int64_t> recorded = {200 * kMillisecond, 210 * kMillisecond,
                                         205 * kMillisecond};
  auto judged = Judge("378500000", recorded);
  EXPECT_FALSE(judged.step);
  EXPECT_EQ(judged.doubt,
            "only 1 settled step was timed beside the recording, and 3 are "
            "needed.");
  // Two of three: the first is warm-up.
  judged = Judge("378500000 200000000 201000000", recorded);
  EXPECT_EQ(judged.doubt,
            "only 2 settled steps were timed beside the recording, and 3 are "
            "needed.");
  judged = Judge("378500000 200000000 201000000 202000000 199000000", recorded);
  ASSERT_TRUE(judged.step);
  EXPECT_EQ(judged.step->count, 4u);
  // Steps that are all warm-up look like any others.
  judged = Judge("378500000 377000000 379000000", recorded);
  EXPECT_FALSE(judged.step);
  EXPECT_EQ(judged.doubt,
            "the steps that were timed beside the recording took longer than "
            "the recorded ones (378.50 ms).");
}

TEST(UnprofiledTest, NoisySteps) {
  // A little longer without the recorder is as long.
  auto judged = Judge("1010 1000 1020 1010", {1000, 1000, 1000});
  ASSERT_TRUE(judged.step);
  EXPECT_EQ(judged.step->ns, 1000);
  judged = Judge("1000 3000 2000 9000 500", {2000, 2000, 2000});
  EXPECT_FALSE(judged.step);
  EXPECT_EQ(judged.doubt.find("steps differ so much"), 0u) << judged.doubt;
  judged = Judge("1000 1000 1000", {1500, 1500});
  EXPECT_EQ(judged.doubt,
            "only 2 settled steps were recorded, and 3 are needed.");
  EXPECT_EQ(Judge("1000 1000 1000", {}).doubt, "");
}

TEST(UnprofiledTest, LastOfOneAndMedianOfSeveral) {
  EXPECT_EQ(FindUnprofiledStep(*Make({{{"unprofiled_times_ns", "9 9 9"},
                                       {"unprofiled_times_ns", "7 7 7"}}}))
                ->ns,
            7);
  const auto step = FindUnprofiledStep(*Make({
      {{"unprofiled_times_ns", "9 9 9"}},
      {},
      {{"unprofiled_times_ns", "5 5 5"}},
      {{"unprofiled_times_ns", "1 1"}},
      {{"unprofiled_times_ns", "6 6 6"}},
  }));
  EXPECT_EQ(step->ns, 6);
  EXPECT_EQ(step->count, 9u);
}

TEST(UnprofiledTest, IsInOurOwnTimelines) {
  const auto step = FindUnprofiledStep(*Make({{{"stepscope", R"({
    "processes": [
      {"pid": 1, "metadata": {"exe": "x", "unprofiled_times_ns": "50 50 50"}},
      {"pid": 2, "metadata": {"unprofiled_times_ns": "50 70 70 70"}}]})"}}}));
  ASSERT_TRUE(step);
  EXPECT_EQ(step->ns, 50);
  EXPECT_EQ(step->count, 7u);
  EXPECT_FALSE(FindUnprofiledStep(
      *Make({{{"stepscope", "{\"unprofiled_times_ns\": \""}}})));
}

TEST(UnprofiledTest, MediansOfEarlierRecorders) {
  const auto step = FindUnprofiledStep(*Make({
      {{"unprofiled_step_ns", "9"}, {"unprofiled_steps", "2"}},
      {{"unprofiled_step_ns", "5"}, {"unprofiled_steps", "4"}},
  }));
  EXPECT_EQ(step->ns, 5);
  EXPECT_EQ(step->count, 4u);
  EXPECT_EQ(FindUnprofiledStep(*Make({{{"stepscope", R"({"processes": [
      {"unprofiled_step_ns": "50", "unprofiled_steps": "3"},
      {"unprofiled_step_ns": "70", "unprofiled_steps": "2"}]})"}}}))
                ->count,
            3u);
  // Without a number it is somebody's word.
  EXPECT_EQ(FindUnprofiledStep(*Make({{{"unprofiled_step_ns", "9"}}}))->count,
            0u);
}

TEST(UnprofiledTest, WhatIsNoTimeIsNone) {
  for (const char* text : {"", "0", "-4", "4.5", "x", "99999999999999999999"}) {
    EXPECT_FALSE(FindUnprofiledStep(*Make({{{"unprofiled_step_ns", text}}})))
        << text;
    const std::string times = std::string(text) + " 5 5 5";
    EXPECT_FALSE(
        FindUnprofiledStep(*Make({{{"unprofiled_times_ns", times.c_str()}}})))
        << text;
  }
  EXPECT_FALSE(FindUnprofiledStep(*Make({})));
}

TEST(UnprofiledTest, TheUserKnowsBest) {
  const auto trace = Make({{{"unprofiled_times_ns", "10 10 10"}}});
  const std::vector<int64_t> recorded = {12, 12, 12};
  EXPECT_EQ(JudgeUnprofiledStep(*trace, recorded, std::nullopt).step->ns, 10);
  const auto step = JudgeUnprofiledStep(*trace, recorded, 14'900'000).step;
  ASSERT_TRUE(step);
  EXPECT_EQ(step->source, UnprofiledStep::Source::kUser);
  EXPECT_EQ(SlowDownText(*step, 23'840'000),
            "Recorded steps took 1.60 x the unprofiled step that was stated "
            "(14.90 ms).");
}

TEST(UnprofiledTest, SettingsOfTorch) {
  EXPECT_EQ(CostlySettings(*Make({{{"record_shapes", "1"},
                                   {"with_stack", "1"},
                                   {"profile_memory", "1"}}})),
            "shapes, call stacks and memory");
  EXPECT_EQ(CostlySettings(*Make({{{"record_shapes", "1"}}})), "shapes");
  EXPECT_EQ(CostlySettings(*Make({{{"record_shapes", "0"}}})), "");
  EXPECT_EQ(CostlySettingsText(*Make({{}})), "");
  EXPECT_EQ(CostlySettingsText(*Make({{{"with_stack", "1"}}})),
            "Call stacks were recorded too, which makes steps longer; "
            "--unprofiled DUR states how long a step takes without the "
            "recorder.");
}

}  // namespace
}  // namespace stepscope
