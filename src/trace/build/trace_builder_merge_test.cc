// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "trace/build/trace_builder.h"

namespace stepscope {
namespace {

// One process with a thread and a stream, something of every table, and names
// that the other process has too, in another order.
void Fill(TraceBuilder& b, int64_t rank, int64_t epoch_ns) {
  for (int i = 0; i < 3; ++i) b.Intern(rank == 0 ? "x" : "other");
  EXPECT_EQ(b.AlignEpoch(epoch_ns, true), 0);
  Process process;
  process.rank = rank;
  process.name = b.Intern("rank" + std::to_string(rank));
  process.metadata.push_back({b.Intern("key"), b.Intern("value")});
  b.AddProcess(process);
  Track thread;
  thread.id = 7;
  thread.name = b.Intern("main");
  b.AddTrack(thread);
  Track stream;
  stream.kind = TrackKind::kStream;
  stream.device_type = b.Intern("GPU");
  b.AddTrack(stream);
  const Row late = b.AddEvent({0, 50, 5, b.Intern("late"), 7, 0});
  const Row call = b.AddEvent({0, 10, 5, b.Intern("call"), 3, 0});
  const Row kernel = b.AddEvent({1, 20, 9, b.Intern("kernel"), 4, 0});
  b.AddLink({0, LinkSpace::kCorrelation, 1, call});
  b.AddLink({0, LinkSpace::kCorrelation, 1, kernel});
  b.AddText(kernel, "where", "rank" + std::to_string(rank));
  Arg list;
  list.row = kernel;
  list.key = b.Intern("grid");
  const int64_t grid[] = {rank, 2, 3};
  b.AddListArg(list, grid);
  b.AddRawArgs(late, "\"rank\": " + std::to_string(rank));
  b.AddFlow({11, 1, b.Intern("flow"), 0, FlowPhase::kBegin});
  b.AddMemory({12, 64, 100, 0, 0, b.Intern("Place(cpu)"), 0,
               MemoryKind::kAllocate, kNoRow});
  b.AddWindow(0, 100);
  b.ledger().Keep(5);
  b.ledger().Reject("odd", 3);
  b.AddSource("capture", "file" + std::to_string(rank));
  b.AddNote("note");
}

TEST(TraceBuilderMergeTest, EverythingKeepsItsMeaning) {
  TraceBuilder all;
  for (int64_t rank = 0; rank < 2; ++rank) {
    TraceBuilder one;
    Fill(one, rank, 1000 + 500 * rank);
    all.Merge(std::move(one));
  }
  const auto trace = all.Finish();
  ASSERT_TRUE(trace) << trace.error().message;
  const Trace& t = **trace;
  ASSERT_EQ(t.size(), 6u);
  ASSERT_EQ(t.tracks().size(), 4u);
  EXPECT_EQ(t.epoch_ns(), 1000);
  EXPECT_EQ(t.begin_ns(), 0);
  EXPECT_EQ(t.end_ns(), 600);
  EXPECT_EQ(t.files().size(), 2u);
  EXPECT_EQ(t.format(), "capture");
  EXPECT_EQ(t.ledger().seen(), 12u);
  EXPECT_EQ(t.ledger().rejected().at("odd").count, 2u);
  for (uint32_t rank = 0; rank < 2; ++rank) {
    const int64_t shift = 500 * rank;
    const std::string name = "rank" + std::to_string(rank);
    EXPECT_EQ(t.str(t.processes()[rank].name), name);
    EXPECT_EQ(t.str(t.processes()[rank].metadata[0].second), "value");
    const Track& thread = t.tracks()[rank * 2];
    EXPECT_EQ(thread.process, rank);
    EXPECT_EQ(t.str(thread.name), "main");
    EXPECT_EQ(t.str(t.name()[thread.first]), "call");
    EXPECT_EQ(t.start_ns()[thread.first], 10 + shift);
    EXPECT_EQ(t.str(t.name()[thread.first + 1]), "late");
    EXPECT_EQ(t.raw_args(thread.first + 1), "\"rank\": " + name.substr(4));
    const Track& stream = t.tracks()[rank * 2 + 1];
    EXPECT_EQ(t.str(stream.device_type), "GPU");
    const auto args = t.args_of(stream.first);
    ASSERT_EQ(args.size(), 2u);
    EXPECT_EQ(t.str(args[0].text), name);
    EXPECT_EQ(t.arg_ints()[args[1].list_first], rank);
    EXPECT_EQ(t.links()[rank * 2].process, rank);
    EXPECT_EQ(t.links()[rank * 2].row, thread.first);
    EXPECT_EQ(t.links()[rank * 2 + 1].row, stream.first);
    EXPECT_EQ(t.flows()[rank].time_ns, 11 + shift);
    EXPECT_EQ(t.memory()[rank].owner, thread.first);
  }
}

// Memory of the event that a file names, whatever the time says: through rows
// that are staged, merged and ordered.
TEST(TraceBuilderMergeTest, StatedOwnersOfMemory) {
  const auto part = [](bool stage) {
    TraceBuilder one;
    one.AddProcess({});
    one.AddTrack({});
    const EventSpec late = {0, 50, 10, one.Intern("late"), 0, 0};
    const EventSpec early = {0, 0, 10, one.Intern("early"), 0, 0};
    const Row row = stage ? one.StageEvent(late) : one.AddEvent(late);
    static_cast<void>(stage ? one.StageEvent(early) : one.AddEvent(early));
    MemoryEvent memory;
    memory.time_ns = 5;
    memory.owner = row;
    memory.owner_stated = true;
    one.AddMemory(memory);
    memory.owner = kNoRow;
    one.AddMemory(memory);
    memory.owner_stated = false;
    one.AddMemory(memory);
    return one;
  };
  TraceBuilder all;
  all.Merge(part(false));
  all.Merge(part(true));
  const auto once = all.Finish();
  ASSERT_TRUE(once);
  TraceBuilder again;
  again.Add(**once, ClockMap());
  again.Add(**once, ClockMap());
  const auto trace = again.Finish();
  ASSERT_TRUE(trace);
  ASSERT_EQ((*trace)->memory().size(), 12u);
  std::map<std::string, int> owners;
  for (const MemoryEvent& event : (*trace)->memory()) {
    if (event.owner == kNoRow) {
      ++owners["none"];
      continue;
    }
    EXPECT_EQ((*trace)->track()[event.owner], event.track);
    ++owners[std::string((*trace)->str((*trace)->name()[event.owner]))];
  }
  EXPECT_EQ(owners, (std::map<std::string, int>{
                        {"late", 4}, {"early", 4}, {"none", 4}}));
}

TEST(TraceBuilderMergeTest, EpochsThatAreNotKnownAreNotAligned) {
  TraceBuilder all;
  all.AlignEpoch(1000, true);
  TraceBuilder one;
  one.AddProcess({});
  one.AddTrack({});
  one.AlignEpoch(5, false);
  one.AddEvent({0, 7, 1, {}, 0, 0});
  all.Merge(std::move(one));
  const auto trace = all.Finish();
  ASSERT_TRUE(trace);
  EXPECT_EQ((*trace)->start_ns()[0], 7);
}

// Owners are rows, which move as well.
TEST(TraceBuilderMergeTest, MemoryKeepsItsOwner) {
  const auto make = [](int64_t start) {
    TraceBuilder b;
    b.AddProcess({});
    b.AddTrack({});
    b.AddEvent({0, start, 10, b.Intern("op"), 0, 0});
    b.AddMemory({start + 5, 64, 100, 0, 0, b.Intern("Place(cpu)"), 0,
                 MemoryKind::kAllocate, kNoRow});
    return *b.Finish();
  };
  TraceBuilder both;
  both.Add(*make(1000), ClockMap());
  both.Add(*make(0), ClockMap());
  const auto trace = both.Finish();
  ASSERT_TRUE(trace);
  for (const MemoryEvent& event : (*trace)->memory()) {
    ASSERT_NE(event.owner, kNoRow);
    EXPECT_EQ((*trace)->start_ns()[event.owner] + 5, event.time_ns);
  }
}

}  // namespace
}  // namespace stepscope
