// SPDX-License-Identifier: Apache-2.0
#include "trace/job/trace_set.h"

#include <gtest/gtest.h>

#include "trace/build/trace_builder.h"

namespace stepscope {
namespace {

constexpr int64_t kSetEpoch = 1'700'000'000'000'000'000;

// One process with two events on a thread, of which the second came first.
std::shared_ptr<const Trace> Make(const std::string& file, int64_t rank,
                                  int64_t pid, Epoch epoch, int64_t start_ns) {
  TraceBuilder b;
  b.AlignEpoch(epoch.ns, epoch.known);
  Process process;
  process.rank = rank;
  process.pid = pid;
  b.AddProcess(process);
  b.AddTrack({});
  const Row late = b.AddEvent({0, start_ns + 50, 5, b.Intern("late"), 7, 0});
  b.AddEvent({0, start_ns, 10, b.Intern("early" + file), 7, 0});
  b.AddRawArgs(late, "\"of\": \"" + file + "\"");
  b.AddText(late, "file", file);
  b.ledger().Keep(2);
  b.ledger().Reject("odd", 3);
  b.AddSource(rank == 0 ? "kineto" : "capture", file);
  b.AddNote("note of " + file);
  if (rank == 1) b.SetIncomplete();
  auto trace = b.Finish();
  EXPECT_TRUE(trace);
  return *trace;
}

TEST(TraceSetTest, MembersKeepTheirTimesAndHaveAMap) {
  const TraceSet set({Make("b", 1, 9, {kSetEpoch, true}, 100),
                      Make("a", 0, 5, {kSetEpoch - 40, true}, 100),
                      Make("c", 0, 5, {0, false}, 7)});
  ASSERT_EQ(set.members().size(), 3u);
  EXPECT_EQ(set.epoch().ns, kSetEpoch);
  EXPECT_TRUE(set.members()[0].clock.is_identity());
  EXPECT_EQ(set.members()[1].trace->start_ns()[0], 100);
  EXPECT_EQ(set.members()[1].clock(100), 60);
  EXPECT_TRUE(set.members()[2].assumed);
  EXPECT_EQ(set.members()[2].clock(7), 60);
  const auto found = set.Find({0, 5});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].member, 1u);
  EXPECT_EQ(found[1].member, 2u);
  EXPECT_EQ(set.Find({1, 5}).size(), 0u);
  EXPECT_EQ(set.processes().size(), 3u);
  EXPECT_EQ(set.processes()[2].key.rank, 1);
}

TEST(TraceSetTest, MergedHasEverySourceWithItsOwnLedgerAndNotes) {
  TraceSet set({Make("a", 0, 5, {kSetEpoch, true}, 100),
                Make("b", 1, 9, {kSetEpoch + 500, true}, 100),
                Make("c", 0, 6, {0, false}, 7)});
  set.AddNote("of all");
  const auto merged = TraceSet::Merge(set);
  ASSERT_TRUE(merged) << merged.error().message;
  const Trace& t = **merged;
  ASSERT_EQ(t.sources().size(), 3u);
  EXPECT_EQ(t.files(), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(t.format(), "kineto+capture");
  EXPECT_EQ(t.ledger().seen(), 9u);
  EXPECT_EQ(t.sources()[1].ledger.seen(), 3u);
  EXPECT_FALSE(t.complete());
  EXPECT_TRUE(t.sources()[0].complete);
  EXPECT_FALSE(t.sources()[1].complete);
  EXPECT_TRUE(t.clock().epoch_known);
  EXPECT_FALSE(t.sources()[2].clock.epoch_known);
  EXPECT_EQ(t.sources()[1].epoch_ns, kSetEpoch + 500);
  EXPECT_EQ(t.sources()[1].to_trace.shift_ns(), 500);
  EXPECT_EQ(t.epoch_ns(), kSetEpoch);
  ASSERT_EQ(t.size(), 6u);
  for (uint32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(t.source_of(t.processes()[i]).path, t.files()[i]);
    const Row late = 2 * i + 1;
    EXPECT_EQ(t.str(t.name()[late]), "late");
    EXPECT_EQ(t.raw_args(late), "\"of\": \"" + t.files()[i] + "\"");
    EXPECT_EQ(t.str(t.args_of(late)[0].text), t.files()[i]);
    EXPECT_EQ(t.start_ns()[late], (i == 1 ? 600 : 100) + 50);
  }
  EXPECT_EQ(t.begin_ns(), 100);
  EXPECT_EQ(t.end_ns(), 655);
  EXPECT_EQ(t.notes(),
            (std::vector<std::string>{
                "note of a", "note of b", "note of c",
                "c: states no absolute time; laid where the first of the "
                "other files begins",
                "of all"}));
}

TEST(TraceSetTest, OneTraceIsItself) {
  const auto trace = Make("a", 0, 5, {kSetEpoch, true}, 100);
  EXPECT_EQ(*TraceSet::Merge(TraceSet({trace})), trace);
}

TEST(TraceSetTest, AClockThatRunsFastIsSlowedDown) {
  TraceSet set({Make("a", 0, 5, {kSetEpoch, true}, 1000),
                Make("b", 1, 9, {kSetEpoch, true}, 1000)});
  set.SetClock(1, ClockMap::Through(0, 0, 2000, 1000));
  const auto merged = TraceSet::Merge(set);
  ASSERT_TRUE(merged);
  EXPECT_EQ((*merged)->start_ns()[2], 500);
  EXPECT_EQ((*merged)->dur_ns()[2], 5);
  EXPECT_EQ((*merged)->start_ns()[3], 525);
  EXPECT_EQ((*merged)->dur_ns()[3], 2);
}

// A device that several files hold a step each of, with events that overlap.
TEST(TraceSetTest, LanesOfWhatSeveralFilesHoldAreLaidAnew) {
  const auto step = [](int64_t at) {
    TraceBuilder b;
    Process process;
    process.pid = -1;
    process.name = b.Intern("/device:GPU:0");
    b.AddProcess(process);
    b.AddTrack({});
    b.AddEvent({0, at, 10, b.Intern("x"), 4, 0});
    b.AddEvent({0, at + 5, 10, b.Intern("y"), 4, 0});
    return *b.Finish();
  };
  const auto merged = TraceSet::Merge(TraceSet({step(100), step(0), step(50)}));
  ASSERT_TRUE(merged);
  const Trace& t = **merged;
  EXPECT_EQ(t.processes().size(), 1u);
  ASSERT_EQ(t.tracks().size(), 2u);
  EXPECT_EQ(t.tracks()[1].lane, 1u);
  EXPECT_EQ(t.start_ns()[0], 0);
  EXPECT_EQ(t.start_ns()[2], 100);
  EXPECT_EQ(t.start_ns()[3], 5);
}

}  // namespace
}  // namespace stepscope
