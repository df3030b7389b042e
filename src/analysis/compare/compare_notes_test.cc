// SPDX-License-Identifier: Apache-2.0
#include "analysis/compare/compare_notes.h"

#include <gtest/gtest.h>
#include <stepscope/c.h>

#include <string>

#include "trace/build/trace_builder.h"

namespace stepscope {
namespace {

// Five steps, and what a process of the recorder states about itself.
std::shared_ptr<const Trace> Steps(int64_t step_ns, const std::string& key,
                                   const std::string& value) {
  TraceBuilder builder;
  Process process;
  process.metadata.emplace_back(builder.Intern(key), builder.Intern(value));
  builder.AddProcess(process);
  const uint32_t track = builder.AddTrack({});
  for (int i = 0; i < 5; ++i) {
    builder.AddEvent({track, i * step_ns, step_ns,
                      builder.Intern("ProfileStep#" + std::to_string(i)),
                      STEPSCOPE_PROFILE_STEP, 0});
  }
  return *builder.Finish();
}

std::string NotesOf(const Trace& a, const Trace& b) {
  std::string all;
  for (const std::string& note : CompareTraces(a, b).notes) all += note + "\n";
  return all;
}

TEST(CompareNotesTest, CostOfRecordingThatDiffers) {
  const auto slow = Steps(16'000'000, "unprofiled_step_ns", "10000000");
  const auto light = Steps(10'500'000, "unprofiled_step_ns", "10200000");
  EXPECT_EQ(NotesOf(*light, *slow),
            "Recording made the steps of A 1.03 x as long, those of B 1.60 x: "
            "part of the change is its cost. Unrecorded, a step takes 10.200 "
            "ms in A and 10.000 ms in B (-1.96 %).\n");
  EXPECT_EQ(NotesOf(*slow, *slow), "");
  // Of one side alone there is nothing to compare.
  EXPECT_EQ(NotesOf(*slow, *Steps(16'000'000, "other", "1")), "");
}

TEST(CompareNotesTest, SettingsThatDiffer) {
  const auto stacks = Steps(1000, "with_stack", "1");
  const auto plain = Steps(1000, "with_stack", "0");
  EXPECT_EQ(NotesOf(*plain, *stacks),
            "A was recorded with neither shapes nor call stacks, B with call "
            "stacks: part of the change may be the cost of recording.\n");
  EXPECT_EQ(NotesOf(*stacks, *stacks), "");
}

TEST(CompareNotesTest, LargeCountsAreReadable) {
  const auto trace = [](int events, int steps) {
    TraceBuilder builder;
    builder.AddProcess({});
    const uint32_t track = builder.AddTrack({});
    for (int i = 0; i < events; ++i) {
      builder.AddEvent(
          {track, i, 1, builder.Intern("before"), STEPSCOPE_USER_DEFINED, 0});
    }
    for (int i = 0; i < steps; ++i) {
      builder.AddEvent({track, 10'000 + i * 100, 100,
                        builder.Intern("ProfileStep#" + std::to_string(i)),
                        STEPSCOPE_PROFILE_STEP, 0});
    }
    return *builder.Finish();
  };
  const std::string notes = NotesOf(*trace(0, 1200), *trace(2345, 1300));
  EXPECT_NE(notes.find("A has 1,200 steps, B 1,300: "), notes.npos) << notes;
  EXPECT_NE(notes.find("2,345 events of B lie in no step"), notes.npos)
      << notes;
}

}  // namespace
}  // namespace stepscope
