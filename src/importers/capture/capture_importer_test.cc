// SPDX-License-Identifier: Apache-2.0
#include "importers/capture/capture_importer.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "importers/capture/sample_capture_test_support.h"
#include "importers/registry.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope::capture {
namespace {

std::shared_ptr<const Trace> Import(const std::string& path) {
  Result<std::shared_ptr<const Trace>> trace = ImportCapture(path);
  if (!trace) {
    ADD_FAILURE() << trace.error().message;
    return TraceFromText("");
  }
  return *trace;
}

std::shared_ptr<const Trace> ImportBytes(const std::string& bytes) {
  const TempFolder folder;
  return Import(folder.Write("x.sscap", bytes));
}

uint64_t Rejected(const Trace& trace, std::string_view reason) {
  const auto it = trace.ledger().rejected().find(reason);
  return it == trace.ledger().rejected().end() ? 0 : it->second.count;
}
uint64_t Repaired(const Trace& trace, std::string_view reason) {
  const auto it = trace.ledger().repaired().find(reason);
  return it == trace.ledger().repaired().end() ? 0 : it->second.count;
}

constexpr const char* kSampleText =
    "thread 501\n"
    "  500..3500 ProfileStep#0 ProfileStep\n"
    "    600..1100 forward Forward\n"
    "      850..850 a long na instant clipped\n"
    "    1200..1400 load Dataloader\n"
    "  3550..4000 forward Forward\n"
    "    3700..3750 forward Forward\n"
    "thread 501 lane 1\n"
    "  3575..4500 load Dataloader open\n"
    "thread 502\n"
    "  550..700 load Dataloader\n"
    "  1500..1600 load Dataloader\n"
    "thread 503\n"
    "  2000..2050 forward Forward\n"
    "thread 503 lane 1\n"
    "  2025..2275 forward Forward\n";

TEST(CaptureImporterTest, EventsOfAnEndedCapture) {
  const auto trace = ImportBytes(EndedSample().bytes);
  EXPECT_EQ(TraceToText(*trace), kSampleText);
  EXPECT_TRUE(trace->complete());
  EXPECT_EQ(trace->size(), kSampleEvents);
  EXPECT_EQ(trace->ledger().kept(), kSampleEvents + kSampleSideRecords);
  EXPECT_EQ(trace->ledger().seen(), trace->ledger().kept());
  EXPECT_EQ(trace->format(), "capture");
  EXPECT_EQ(trace->begin_ns(), 0);
  EXPECT_EQ(trace->end_ns(), 4500);
  EXPECT_EQ(trace->notes(),
            (std::vector<std::string>{
                "the file could not be written, 5 events dropped (31 %)",
                "1 block of a later version skipped"}));
}

TEST(CaptureImporterTest, SideTables) {
  const auto trace = ImportBytes(EndedSample().bytes);
  const Trace& t = *trace;
  const auto step = t.args_of(0);
  ASSERT_EQ(step.size(), 1u);
  EXPECT_EQ(t.str(step[0].text), "late text");
  EXPECT_TRUE(step[0].clipped);
  const auto forward = t.args_of(1);
  ASSERT_EQ(forward.size(), 2u);
  EXPECT_EQ(t.str(forward[0].key), "shape");
  ASSERT_EQ(forward[0].list_count, 4u);
  EXPECT_EQ(t.arg_ints()[forward[0].list_first + 2], 224);
  EXPECT_EQ(forward[1].int_value, -7);
  ASSERT_EQ(t.args().size(), 4u);
  EXPECT_EQ(t.args()[3].double_value, 0.5);
  EXPECT_EQ(t.start_ns()[t.args()[3].row], 2000);

  ASSERT_EQ(t.counters().size(), 2u);
  EXPECT_EQ(t.counters()[0].value, 0.25);
  EXPECT_EQ(t.counters()[0].time_ns, 800);
  EXPECT_TRUE(t.counters()[1].integer);
  EXPECT_EQ(t.counters()[1].int_value, 5);
  EXPECT_EQ(t.str(t.tracks()[t.counters()[0].track].name), "loss");

  ASSERT_EQ(t.memory().size(), 1u);
  EXPECT_EQ(t.memory()[0].bytes, 4096);
  EXPECT_EQ(t.memory()[0].total_reserved, 8192u);
  EXPECT_EQ(t.str(t.memory()[0].place), "Place(cpu)");
  EXPECT_EQ(t.memory()[0].owner, 1u);

  ASSERT_EQ(t.flows().size(), 2u);
  EXPECT_EQ(t.flows()[0].phase, FlowPhase::kBegin);
  EXPECT_EQ(t.flows()[1].phase, FlowPhase::kEnd);
  EXPECT_EQ(t.tracks()[t.flows()[1].track].id, 502);
}

TEST(CaptureImporterTest, ProcessThreadsAndClock) {
  const auto trace = ImportBytes(EndedSample().bytes);
  ASSERT_EQ(trace->processes().size(), 1u);
  const Process& process = trace->processes()[0];
  EXPECT_EQ(process.pid, 4242);
  EXPECT_EQ(process.rank, 3);
  EXPECT_EQ(trace->str(process.host), "node7");
  EXPECT_EQ(trace->str(process.name), "cnn");
  ASSERT_EQ(process.metadata.size(), 5u);
  EXPECT_EQ(trace->str(process.metadata[4].second), "x\ny");

  ASSERT_EQ(trace->threads().size(), 3u);
  const ThreadReport& main = trace->threads()[0];
  EXPECT_EQ(trace->str(trace->tracks()[main.track].name), "main");
  EXPECT_EQ(main.recorded, 7u);
  EXPECT_EQ(main.side_recorded, 8u);
  EXPECT_EQ(main.dropped, (std::vector<std::pair<std::string_view, uint64_t>>{
                              {"pool", 3}, {"io", 5}}));
  EXPECT_EQ(main.side_dropped, 2u);
  ASSERT_EQ(main.open_scopes.size(), 1u);
  EXPECT_EQ(trace->start_ns()[main.open_scopes[0]], 3575);
  EXPECT_FALSE(main.exited);
  EXPECT_TRUE(trace->threads()[1].exited);
  EXPECT_EQ(trace->tracks()[trace->threads()[2].track].id, 503);

  EXPECT_EQ(trace->clock().source, "tsc");
  EXPECT_EQ(trace->clock().anchors, 3u);
  EXPECT_EQ(trace->clock().worst_error_ns, 40);
  EXPECT_NEAR(trace->clock().ticks_per_second, 2e9, 1);
  EXPECT_TRUE(trace->clock().epoch_known);
  EXPECT_EQ(trace->epoch_ns(), 1'700'000'000'000'050'000);
  // 2000 ns of processor time and half the machine, in 4000 ns.
  EXPECT_DOUBLE_EQ(trace->cpu_usage().process, 0.5);
  EXPECT_DOUBLE_EQ(trace->cpu_usage().system, 0.5);
}

TEST(CaptureImporterTest, KilledProcessIsJoinedWithItsLiveFile) {
  const TempFolder folder;
  const KilledSample sample = MakeKilledSample();
  folder.Write("x.sscap.live", sample.live);
  const auto trace = Import(folder.Write("x.sscap", sample.capture.bytes));
  // The open event runs to the last heartbeat.
  std::string want = kSampleText;
  want.replace(want.find("3575..4500"), 10, "3575..4400");
  EXPECT_EQ(TraceToText(*trace), want);
  EXPECT_FALSE(trace->complete());
  EXPECT_EQ(trace->ledger().kept(), kSampleEvents + kSampleSideRecords);
  EXPECT_EQ(trace->ledger().seen(), trace->ledger().kept());
  EXPECT_EQ(trace->args().size(), 4u);
  ASSERT_EQ(trace->threads().size(), 3u);
  EXPECT_EQ(trace->threads()[0].dropped[0].second, 3u);
  ASSERT_EQ(trace->notes().size(), 2u);
  EXPECT_EQ(trace->notes()[0],
            "process was killed or is still recording: 7 events joined from "
            "the live file");
}

// The killed sample, with a path in it.
std::string KilledThatStates(const std::string& live) {
  CaptureWriter named;
  named.Process({{"live_path", live}});
  // The blocks behind the first of the sample, under another process block.
  const SampleFile sample = MakeKilledSample().capture;
  return named.bytes() + sample.bytes.substr(sample.blocks[1]);
}

TEST(CaptureImporterTest, LiveFileIsFoundByItsNameToo) {
  const TempFolder folder;
  const KilledSample sample = MakeKilledSample();
  folder.Write("y.sscap.live", sample.live);
  const auto trace =
      Import(folder.Write("x.sscap", KilledThatStates("/gone/y.sscap.live")));
  EXPECT_EQ(trace->size(), kSampleEvents);
}

TEST(CaptureImporterTest, LiveFileIsFoundInItsFolder) {
  const TempFolder folder, live;
  live.Write("stepscope-1.sscap.live", MakeKilledSample().live);
  const std::string path = folder.Write(
      "x.sscap", KilledThatStates(live.path("stepscope-1.sscap.live")));
  EXPECT_EQ(Import(path)->size(), 6u);
  ASSERT_EQ(setenv("STEPSCOPE_LIVE_DIR", live.path("").c_str(), 1), 0);
  EXPECT_EQ(Import(path)->size(), kSampleEvents);
  ASSERT_EQ(unsetenv("STEPSCOPE_LIVE_DIR"), 0);
}

// A capture may be anybody's: what it names is not opened, nor what a link
// beside it leads to, and nothing makes its reader wait.
TEST(CaptureImporterTest, NoPathOfACaptureIsOpened) {
  const TempFolder folder, elsewhere;
  const std::string live =
      elsewhere.Write("y.sscap.live", MakeKilledSample().live);
  const std::string path = folder.Write("x.sscap", KilledThatStates(live));
  EXPECT_EQ(Import(path)->size(), 6u);
  ASSERT_EQ(symlink(live.c_str(), (path + ".live").c_str()), 0);
  EXPECT_EQ(Import(path)->size(), 6u);
  ASSERT_EQ(unlink((path + ".live").c_str()), 0);
  ASSERT_EQ(mkfifo((path + ".live").c_str(), 0600), 0);
  EXPECT_EQ(Import(path)->size(), 6u);
  const std::string pipe = folder.path("pipe.sscap.live");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(Import(folder.Write("z.sscap", KilledThatStates(pipe)))->size(),
            6u);
}

TEST(CaptureImporterTest, TheLiveFileOfAnotherUserIsLeftAlone) {
  if (geteuid() != 0) GTEST_SKIP() << "only root gives files away";
  const TempFolder folder;
  const KilledSample sample = MakeKilledSample();
  const std::string live = folder.Write("x.sscap.live", sample.live);
  const std::string path = folder.Write("x.sscap", sample.capture.bytes);
  ASSERT_EQ(chown(live.c_str(), 4242, 4242), 0);
  EXPECT_EQ(Import(path)->size(), 6u);
  ASSERT_EQ(chown(path.c_str(), 4242, 4242), 0);
  EXPECT_EQ(Import(path)->size(), kSampleEvents);
}

TEST(CaptureImporterTest, TheLastArgumentOfAKilledProcessMayBeZero) {
  const TempFolder folder;
  SlotList slots;
  const uint32_t event = slots.Event(2000, 500, 1);
  slots.IntArg(format::SlotPosition(0, event), 2000, 2, 0);
  ASSERT_EQ(slots.slots().back().begin, 0u);  // as an unused slot looks
  CaptureWriter capture;
  capture.Clock(format::ClockKind::kTsc, 0,
                {MakeAnchor(1000, 50'000), MakeAnchor(5000, 52'000)});
  folder.Write(
      "x.sscap.live",
      MakeLive(1, 9000, {format::ThreadEntry{}, MakeThread(1, 7, "main")},
               {{1, 0, "op"}, {2, 0, "size"}},
               {{format::ChunkState::kActive,
                 1,
                 0,
                 10,
                 1,
                 {slots.slots().begin(), slots.slots().end()}}}));
  const auto trace = Import(folder.Write("x.sscap", capture.bytes()));
  EXPECT_EQ(trace->size(), 1u);
  EXPECT_EQ(trace->args().size(), 1u);
  EXPECT_EQ(trace->ledger().kept(), trace->ledger().seen());
}

TEST(CaptureImporterTest, AnotherRingsLiveFileIsLeftAlone) {
  const TempFolder folder;
  KilledSample sample = MakeKilledSample();
  sample.live[20] = 'x';  // in ring_id
  folder.Write("x.sscap.live", sample.live);
  const auto trace = Import(folder.Write("x.sscap", sample.capture.bytes));
  EXPECT_EQ(trace->size(), 6u);
  EXPECT_FALSE(trace->complete());
  EXPECT_EQ(trace->ledger().kept(), trace->ledger().seen());
  EXPECT_NE(trace->notes()[0].find("live file was not found"),
            std::string::npos);
}

// As a server reads it; the recorder leaves a link beside the capture.
TEST(CaptureImporterTest, ALinkedLiveFileIsNotReadWhereConfined) {
  const TempFolder folder;
  const KilledSample sample = MakeKilledSample();
  const std::string live = folder.Write("y.sscap.live", sample.live);
  const std::string path = folder.Write("x.sscap", sample.capture.bytes);
  ASSERT_EQ(symlink(live.c_str(), (path + ".live").c_str()), 0);
  EXPECT_EQ(Import(path)->size(), kSampleEvents);
  ImportOptions options;
  options.confined = true;
  const auto trace = ImportFile(path, options);
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_EQ((*trace)->size(), 6u);
  EXPECT_NE((*trace)->notes()[0].find("stepscope convert " + path),
            std::string::npos);
}

TEST(CaptureImporterTest, ShortLiveFileGivesNamesAndThreads) {
  const TempFolder folder;
  KilledSample sample = MakeKilledSample();
  sample.live.resize(sample.live.size() - 3 * format::kChunkBytes);
  folder.Write("x.sscap.live", sample.live);
  const auto trace = Import(folder.Write("x.sscap", sample.capture.bytes));
  EXPECT_EQ(trace->size(), 6u);
  ASSERT_EQ(trace->threads().size(), 3u);
  EXPECT_EQ(trace->threads()[0].dropped[0].second, 3u);
}

TEST(CaptureImporterTest, LossesWithoutAThreadAreAddedUp) {
  CaptureWriter w;
  w.Clock(format::ClockKind::kMonotonic, 1'000'000'000, {MakeAnchor(1, 0)});
  format::ThreadEntry none = MakeThread(0, 0, "", 0);
  none.lost_io = 5;
  w.Thread(none);
  none.lost_io = 7;  // since then
  const TempFolder folder;
  folder.Write("x.sscap.live", MakeLive(1, 100, {none}, {}, {}));
  const auto trace = Import(folder.Write("x.sscap", w.bytes()));
  ASSERT_EQ(trace->threads().size(), 1u);
  EXPECT_EQ(trace->threads()[0].dropped[0].second, 12u);
}

TEST(CaptureImporterTest, LossesWithoutAThreadAreReported) {
  CaptureWriter w;
  format::ThreadEntry none = MakeThread(0, 0, "", 0);
  w.Thread(none);
  w.End(1);
  EXPECT_EQ(ImportBytes(w.bytes())->threads().size(), 0u);
  CaptureWriter lossy;
  none.dropped[STEPSCOPE_DROP_THREADS] = 12;
  lossy.Thread(none);
  lossy.End(1);
  const auto trace = ImportBytes(lossy.bytes());
  ASSERT_EQ(trace->threads().size(), 1u);
  EXPECT_EQ(trace->threads()[0].dropped[0].first, "threads");
  EXPECT_EQ(trace->threads()[0].dropped[0].second, 12u);
}

TEST(CaptureImporterTest, DamagedBlockIsCountedExactly) {
  SampleFile sample = EndedSample();
  // Block 3 is thread 1's second run: 3 events, 3 side records.
  sample.bytes[sample.blocks[3] + 90] ^= 1;
  const auto trace = ImportBytes(sample.bytes);
  EXPECT_EQ(trace->size(), kSampleEvents - 3);
  EXPECT_EQ(Rejected(*trace, "damaged block"), 6u);
  EXPECT_EQ(trace->ledger().seen(), kSampleEvents + kSampleSideRecords);
  EXPECT_TRUE(trace->complete());
}

TEST(CaptureImporterTest, DamagedHeaderIsSkippedToTheNextBlock) {
  SampleFile sample = EndedSample();
  sample.bytes[sample.blocks[3] + 4] ^= 1;
  const auto trace = ImportBytes(sample.bytes);
  EXPECT_EQ(trace->size(), kSampleEvents - 3);
  EXPECT_NE(trace->notes()[1].find("bytes skipped up to the next block"),
            std::string::npos);
}

TEST(CaptureImporterTest, DamagedFileHeaderCostsNoEvent) {
  SampleFile sample = EndedSample();
  sample.bytes[3] ^= 1;
  const auto trace = ImportBytes(sample.bytes);
  EXPECT_EQ(trace->size(), kSampleEvents);
}

TEST(CaptureImporterTest, MissingNamesAreRepairs) {
  SampleFile sample = EndedSample();
  sample.bytes[sample.blocks[2] + 40] ^= 1;
  const auto trace = ImportBytes(sample.bytes);
  EXPECT_EQ(trace->size(), kSampleEvents);
  EXPECT_EQ(trace->str(trace->name()[0]), "(unknown site 2)");
  // Every event, and all side records but the two late ends.
  EXPECT_EQ(Repaired(*trace, "name missing"), 11u + 9u);
  EXPECT_EQ(trace->ledger().kept(), 2u);
}

TEST(CaptureImporterTest, WithoutClockTicksAreRepairedToNanoseconds) {
  CaptureWriter w;
  SlotList s;
  s.Event(100, 10, 5);
  w.Events(1, 0, 0, 1, 0, s.slots());
  const auto trace = ImportBytes(w.bytes());
  ASSERT_EQ(trace->size(), 1u);
  EXPECT_EQ(trace->start_ns()[0], 100);
  EXPECT_EQ(trace->dur_ns()[0], 10);
  EXPECT_EQ(Repaired(*trace, "no clock: ticks taken as nanoseconds"), 1u);
  EXPECT_EQ(trace->ledger().seen(), 1u);
}

TEST(CaptureImporterTest, SequenceNumbersAreLinks) {
  CaptureWriter w;
  w.Clock(format::ClockKind::kMonotonic, 1'000'000'000, {MakeAnchor(1, 0)});
  w.Names(
      {{2, 0, "aten::mm"}, {3, 10, "MmBackward0"}, {4, 7, "Sequence number"}});
  SlotList s;
  s.Event(100, 10, 2);
  s.IntArg(format::SlotPosition(0, 0), 100, 4, 39);
  const auto backward = static_cast<uint32_t>(s.slots().size());
  s.Event(200, 10, 3);
  s.IntArg(format::SlotPosition(0, backward), 200, 4, 39);
  w.Events(1, 0, 0, 1, 0, s.slots());
  w.End(300);
  const auto trace = ImportBytes(w.bytes());
  ASSERT_EQ(trace->size(), 2u);
  EXPECT_EQ(trace->args().size(), 0u);
  ASSERT_EQ(trace->links().size(), 2u);
  for (const Row row : {0u, 1u}) {
    EXPECT_EQ(trace->links()[row].space, LinkSpace::kSequence);
    EXPECT_EQ(trace->links()[row].id, 39u);
    EXPECT_EQ(trace->links()[row].row, row);
  }
}

TEST(CaptureImporterTest, RecordsThatCannotBeUsedAreRejected) {
  CaptureWriter w;
  w.Clock(format::ClockKind::kMonotonic, 1'000'000'000, {MakeAnchor(1, 0)});
  w.Names({{2, 7, "x"}});
  SlotList s;
  s.Event(100, 10, 2);
  s.Side(format::SideKind::kArg, 105, 0, std::string(32, 'a'));
  s.LateEnd(120, format::SlotPosition(0, 0), 100);  // has ended
  s.LateEnd(120, format::SlotPosition(0, 9), 100);  // not an event
  s.LateEnd(120, format::SlotPosition(0, 0), 99);   // another incarnation
  s.IntArg(format::SlotPosition(5, 0), 100, 2, 1);  // no such chunk
  s.Side(static_cast<format::SideKind>(77), 106, 1, std::string(16, 'b'));
  s.Flow(107, 1, 2, 9);                             // no such phase
  s.Memory(108, {0, ~uint64_t{0}, 0, 0, 2, 0, 0});  // too many bytes
  s.Side(format::SideKind::kMemory, 109, 1, "short");
  w.Events(1, 0, 0, 1, 0, s.slots());
  w.End(200);
  const auto trace = ImportBytes(w.bytes());
  EXPECT_EQ(trace->size(), 1u);
  EXPECT_EQ(trace->ledger().kept(), 1u);
  EXPECT_EQ(Rejected(*trace, "cut short by a kill"), 1u);
  EXPECT_EQ(Rejected(*trace, "event had ended already"), 1u);
  EXPECT_EQ(Rejected(*trace, "end without its event"), 2u);
  EXPECT_EQ(Rejected(*trace, "argument without its event"), 1u);
  EXPECT_EQ(Rejected(*trace, "unknown record kind"), 1u);
  EXPECT_EQ(Rejected(*trace, "bad side record"), 3u);
  EXPECT_EQ(trace->ledger().seen(), 10u);
}

// A thread reads the clock for an end, loses its processor, and goes on when
// the other has been round the ring: its record stands first in a chunk that
// was in use meanwhile, with a time before that.
TEST(CaptureImporterTest, AnEndStoredLateHidesNoOtherEvent) {
  constexpr uint32_t kTimesRound = 9;
  for (uint32_t delayed = 0; delayed < kTimesRound; ++delayed) {
    CaptureWriter w;
    w.Clock(format::ClockKind::kMonotonic, 1'000'000'000, {MakeAnchor(1, 0)});
    w.Names({{2, 7, "x"}});
    SlotList waiting;
    waiting.Open(400, 2);
    w.Events(2, 0, 1, 1, 0, waiting.slots());
    for (uint32_t i = 0; i < kTimesRound; ++i) {
      SlotList s;
      if (i == delayed) s.LateEnd(500, format::SlotPosition(1, 0), 400);
      const uint64_t begin = 1000 * (i + 1);
      const auto slot = static_cast<uint32_t>(s.slots().size());
      s.Open(begin, 2);
      s.LateEnd(begin + 30, format::SlotPosition(0, slot), begin);
      w.Events(i == delayed ? 2 : 1, i + 1, 0, 10 + i, 0, s.slots());
    }
    w.End(90000);
    const auto trace = ImportBytes(w.bytes());
    ASSERT_EQ(trace->size(), 1 + kTimesRound);
    EXPECT_EQ(Rejected(*trace, "end without its event"), 0u) << delayed;
    for (Row row = 0; row < trace->size(); ++row)
      EXPECT_EQ(trace->flags()[row] & kEventOpenAtEnd, 0) << delayed;
  }
}

TEST(CaptureImporterTest, AStepThatWasNoneIsAMark) {
  CaptureWriter w;
  w.Clock(format::ClockKind::kMonotonic, 1'000'000'000, {MakeAnchor(1, 0)});
  w.Names({{2, STEPSCOPE_PROFILE_STEP, "ProfileStep#20"},
           {3, 7, "stepscope.mark"},
           {4, 7, "eval"}});
  SlotList s;
  s.Open(100, 2);
  s.Event(110, 10, 4);
  s.TextArg(format::SlotPosition(0, 0), 100, 3, "after the last step");
  s.LateEnd(900, format::SlotPosition(0, 0), 100);
  w.Events(1, 0, 0, 1, 0, s.slots());
  w.End(1000);
  const auto trace = ImportBytes(w.bytes());
  ASSERT_EQ(trace->size(), 2u);
  EXPECT_EQ(trace->str(trace->name()[0]), "after the last step");
  EXPECT_EQ(trace->type()[0], STEPSCOPE_OVERHEAD);
  EXPECT_EQ(trace->flags()[0], kEventInstant);
  EXPECT_EQ(trace->dur_ns()[0], 0);
  EXPECT_EQ(trace->ledger().kept(), 4u);
  EXPECT_EQ(trace->ledger().seen(), 4u);
}

TEST(CaptureImporterTest, SameRunTwiceCountsOnce) {
  CaptureWriter w;
  w.Clock(format::ClockKind::kMonotonic, 1'000'000'000, {MakeAnchor(1, 0)});
  w.Names({{2, 7, "x"}});
  SlotList s;
  s.Event(100, 10, 2);
  w.Events(1, 0, 0, 1, 0, s.slots());
  w.Events(1, 0, 0, 1, 0, s.slots());
  w.End(200);
  const auto trace = ImportBytes(w.bytes());
  EXPECT_EQ(trace->size(), 1u);
  EXPECT_EQ(Rejected(*trace, "duplicate block"), 1u);
}

TEST(CaptureImporterTest, UnreadableInputSaysWhereAndWhat) {
  const TempFolder folder;
  const auto error = [&](const std::string& bytes) {
    const auto trace = ImportCapture(folder.Write("bad.sscap", bytes));
    return trace ? "none" : trace.error().message;
  };
  const std::string path = folder.path("bad.sscap");
  EXPECT_EQ(error(""), path + ": byte 0: expected the header of a capture");
  EXPECT_EQ(error("SSCAP01\n"),
            path + ": byte 0: expected the header of a capture");
  const std::string whole = CaptureWriter().bytes();
  EXPECT_EQ(error(whole + "rubbish!"),
            path + ": byte 64: expected a block; no event can be read");
  EXPECT_EQ(error(whole), "none");  // killed at once: empty, but sound
  const auto missing = ImportCapture(folder.path("absent"));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
}

TEST(CaptureImporterTest, LaterVersionIsRefusedByName) {
  std::string bytes = CaptureWriter().bytes();
  bytes[8] = 2;
  FixCrc(bytes, 0);
  const TempFolder folder;
  const auto trace = ImportCapture(folder.Write("v2.sscap", bytes));
  ASSERT_FALSE(trace);
  EXPECT_EQ(trace.error().code, ErrorCode::kUnsupported);
  EXPECT_NE(trace.error().message.find("capture version 2"), std::string::npos);
}

}  // namespace
}  // namespace stepscope::capture
