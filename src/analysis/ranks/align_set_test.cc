// SPDX-License-Identifier: Apache-2.0
#include "analysis/ranks/align_set.h"

#include <gtest/gtest.h>

#include <string>

#include "trace/clock_facts.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope {
namespace {

// A rank that meets the others at the end of each of its steps, by a clock
// that shows `ahead_ns` more. Ends scatter a little.
std::shared_ptr<const Trace> Rank(int rank, int pid, int64_t ahead_ns,
                                  const std::string& name,
                                  bool epoch_known = true) {
  std::string text = "process " + std::to_string(pid) +
                     " rank=" + std::to_string(rank) + "\nthread 1 main\n";
  for (int64_t step = 0; step < 20; ++step) {
    const int64_t begin = step * 10'000'000 + step * step * 20'000 + ahead_ns;
    const auto line = [&](int64_t from, int64_t to, const std::string& what) {
      text += std::to_string(begin + from) + ".." + std::to_string(begin + to) +
              " " + what + "\n";
    };
    line(0, 9'000'000, "ProfileStep#" + std::to_string(step) + " ProfileStep");
    line(6'000'000 + rank * 500'000, 8'000'000 + (step * 7 % 5) * 1000 * rank,
         name + " Communication");
  }
  TraceBuilder builder;
  builder.AddSource("kineto", "rank" + std::to_string(rank) + "_" +
                                  std::to_string(pid) + ".json");
  if (epoch_known) builder.AlignEpoch(1'000'000'000'000, true);
  BuildFromText(text, builder);
  ClockInfo clock;
  clock.epoch_known = epoch_known;
  builder.MergeClock(clock);
  const auto trace = builder.Finish();
  EXPECT_TRUE(trace);
  return *trace;
}

TEST(AlignSet, MovesARankAndSaysSo) {
  TraceSet set(
      {Rank(0, 10, 0, "all_reduce"), Rank(1, 11, 3'000'000'000, "all_reduce")});
  const int64_t recorded = set.members()[1].trace->start_ns()[0];
  const SetClocks clocks = AlignSet(set);
  ASSERT_EQ(clocks.members.size(), 2u);
  EXPECT_EQ(clocks.members[0].clock.method, ClockMethod::kReference);
  EXPECT_EQ(clocks.members[1].clock.method, ClockMethod::kCollectives);
  EXPECT_NEAR(static_cast<double>(clocks.members[1].clock.offset_ns), -3e9,
              10'000);
  EXPECT_EQ(clocks.matched, 20u);
  EXPECT_TRUE(clocks.notes.empty());
  // Recorded times are untouched; the merged ones lie beside each other.
  EXPECT_EQ(set.members()[1].trace->start_ns()[0], recorded);
  const auto merged = TraceSet::Merge(set);
  ASSERT_TRUE(merged);
  const Trace& trace = **merged;
  EXPECT_NEAR(static_cast<double>(trace.start_ns()[trace.tracks()[1].first]),
              static_cast<double>(trace.start_ns()[trace.tracks()[0].first]),
              20'000);
  bool told = false;
  for (const auto& [key, value] : trace.processes()[1].metadata) {
    told = told || (trace.str(key) == kClockMethodKey &&
                    trace.str(value) == "collectives");
  }
  EXPECT_TRUE(told);
}

TEST(AlignSet, WithoutCollectivesByAbsoluteTime) {
  TraceSet set({Rank(0, 10, 0, "compute"), Rank(1, 11, 5000, "compute")});
  const SetClocks clocks = AlignSet(set);
  // Communication events of no known kind meet nobody.
  EXPECT_EQ(clocks.members[1].clock.method, ClockMethod::kEpoch);
  EXPECT_LT(clocks.members[1].clock.error_ns, 0);
  ASSERT_EQ(clocks.notes.size(), 1u);
  EXPECT_NE(clocks.notes[0].find("absolute time"), std::string::npos);
}

TEST(AlignSet, WithoutAnything) {
  TraceSet set(
      {Rank(0, 10, 0, "compute", false), Rank(1, 11, 5000, "compute", false)});
  const SetClocks clocks = AlignSet(set);
  ASSERT_EQ(clocks.notes.size(), 1u);
  EXPECT_NE(clocks.notes[0].find("nothing says"), std::string::npos);
}

TEST(AlignSet, TwoFilesClaimOneRank) {
  TraceSet set({Rank(0, 10, 0, "all_reduce"), Rank(1, 11, 0, "all_reduce"),
                Rank(1, 12, 0, "all_reduce")});
  const SetClocks clocks = AlignSet(set);
  ASSERT_EQ(clocks.notes.size(), 2u);
  EXPECT_NE(clocks.notes[0].find("twice"), std::string::npos);
  EXPECT_NE(clocks.notes[1].find("rank 1: rank1_11.json and rank1_12.json"),
            std::string::npos);
}

TEST(AlignSet, OneTraceIsLeftAlone) {
  TraceSet set({Rank(0, 10, 0, "all_reduce")});
  EXPECT_TRUE(AlignSet(set).members.empty());
  EXPECT_TRUE(set.members()[0].facts.empty());
}

}  // namespace
}  // namespace stepscope
