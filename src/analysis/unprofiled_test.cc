// SPDX-License-Identifier: Apache-2.0
#include "analysis/unprofiled.h"

#include <gtest/gtest.h>

#include "trace/trace_builder.h"

namespace stepscope {
namespace {

using Pairs = std::vector<std::pair<const char*, const char*>>;

// Of one process for each list of metadata.
std::shared_ptr<const Trace> Make(const std::vector<Pairs>& processes) {
  TraceBuilder builder;
  for (const Pairs& pairs : processes) {
    Process process;
    for (const auto& [key, value] : pairs) {
      process.metadata.emplace_back(builder.Intern(key),
                                    builder.Intern(value));
    }
    builder.AddProcess(process);
  }
  return *builder.Finish();
}

TEST(UnprofiledTest, IsInTheMetadata) {
  const auto trace = Make({{{"unprofiled_step_ns", "14900000"},
                            {"unprofiled_steps", "12"}}});
  const auto step = FindUnprofiledStep(*trace);
  ASSERT_TRUE(step);
  EXPECT_EQ(step->ns, 14'900'000);
  EXPECT_EQ(step->count, 12u);
  EXPECT_EQ(SlowDownText(*step, 15'794'000),
            "Recorded steps took 1.06 x the unrecorded ones (14.90 ms, median "
            "of 12).");
}

TEST(UnprofiledTest, LastOfOneAndMedianOfSeveral) {
  EXPECT_EQ(FindUnprofiledStep(*Make({{{"unprofiled_step_ns", "9"},
                                       {"unprofiled_step_ns", "7"}}}))
                ->ns,
            7);
  const auto step = FindUnprofiledStep(*Make({
      {{"unprofiled_step_ns", "9"}, {"unprofiled_steps", "2"}},
      {},
      {{"unprofiled_step_ns", "5"}, {"unprofiled_steps", "3"}},
      {{"unprofiled_step_ns", "6"}},
  }));
  EXPECT_EQ(step->ns, 6);
  EXPECT_EQ(step->count, 5u);
}

TEST(UnprofiledTest, IsInOurOwnTimelines) {
  const auto step = FindUnprofiledStep(*Make({{{"stepscope", R"({
    "processes": [
      {"pid": 1, "metadata": {"exe": "x", "unprofiled_step_ns": "50",
       "unprofiled_steps": "3"}},
      {"pid": 2, "metadata": {"unprofiled_step_ns": "70",
       "unprofiled_steps": "4"}}]})"}}}));
  ASSERT_TRUE(step);
  EXPECT_EQ(step->ns, 60);
  EXPECT_EQ(step->count, 7u);
  EXPECT_FALSE(FindUnprofiledStep(
      *Make({{{"stepscope", "{\"unprofiled_step_ns\": \""}}})));
}

TEST(UnprofiledTest, WhatIsNoTimeIsNone) {
  for (const char* text : {"", "0", "-4", "4.5", "x", "99999999999999999999"}) {
    EXPECT_FALSE(FindUnprofiledStep(*Make({{{"unprofiled_step_ns", text}}})))
        << text;
  }
  EXPECT_FALSE(FindUnprofiledStep(*Make({})));
}

TEST(UnprofiledTest, TheUserKnowsBest) {
  const auto trace = Make({{{"unprofiled_step_ns", "10"}}});
  EXPECT_EQ(FindUnprofiledStep(*trace, std::nullopt)->ns, 10);
  const auto step = FindUnprofiledStep(*trace, 14'900'000);
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
