// SPDX-License-Identifier: Apache-2.0
//
// Previews against the traces of the same files.
#include "importers/capture/preview.h"

#include <gtest/gtest.h>
#include <stepscope/plugin.h>

#include <cstring>
#include <map>

#include "importers/capture/capture_importer.h"
#include "importers/capture/preview_stretch.h"
#include "importers/capture/sample_capture_test_support.h"

namespace stepscope::capture {
namespace {

// Few enough for tests.
PreviewOptions Small() {
  PreviewOptions options;
  options.least_events = 1;
  return options;
}

Result<Preview> PreviewOf(const std::string& path,
                          const PreviewOptions& options = Small()) {
  const Result<File> file = File::OpenForReading(path);
  if (!file) return file.error();
  return ReadPreview(*file, options);
}

struct Line {
  uint64_t events = 0;
  int64_t busy_ns = 0;
  int64_t first_ns = INT64_MAX;
  int64_t last_ns = INT64_MIN;
  bool operator==(const Line&) const = default;

  void Add(int64_t start, int64_t end, uint64_t count, int64_t busy) {
    events += count;
    busy_ns += busy;
    first_ns = std::min(first_ns, start);
    last_ns = std::max(last_ns, end);
  }
};
// By name of the track, kind of line and depth.
using Lines = std::map<std::tuple<std::string, LineKind, uint32_t>, Line>;

Lines LinesOf(const Trace& trace) {
  Lines lines;
  for (Row row = 0; row < trace.size(); ++row) {
    const Track& track = trace.tracks()[trace.track()[row]];
    const LinePlace place = LinePlaceOf(trace, row);
    lines[{std::string(trace.str(track.name)), place.kind, place.depth}].Add(
        trace.start_ns()[row], trace.end_ns(row), 1, trace.dur_ns()[row]);
  }
  return lines;
}

Lines LinesOf(const Preview& preview) {
  Lines lines;
  const Trace& outline = *preview.outline;
  for (size_t i = 0; i < preview.tracks.size(); ++i) {
    for (const LineKind kind : {LineKind::kNative, LineKind::kPython}) {
      const auto& all = preview.tracks[i].lines[static_cast<size_t>(kind)];
      for (uint32_t depth = 0; depth < all.size(); ++depth)
        for (const PreviewBox& box : all[depth])
          lines[{std::string(outline.str(outline.tracks()[i].name)), kind,
                 depth}]
              .Add(box.start_ns, box.start_ns + box.dur_ns, box.events,
                   box.busy_ns);
    }
  }
  return lines;
}

constexpr uint32_t kOuter = 2, kInner = 3, kPython = 4, kKernel = 5, kType = 6;

void Begin(CaptureWriter& writer, uint64_t last_tick) {
  writer.Process({{"pid", "7"}, {"name", "made"}});
  writer.Clock(
      format::ClockKind::kTsc, 0,
      {MakeAnchor(1000, 0),
       MakeAnchor(1000 + last_tick, static_cast<int64_t>(last_tick / 2))});
  writer.Names({{kOuter, STEPSCOPE_OPERATOR, "outer"},
                {kInner, STEPSCOPE_OPERATOR_INNER, "inner"},
                {kPython, STEPSCOPE_PYTHON_FUNCTION, "f.py(1): f"},
                {kKernel, STEPSCOPE_KERNEL, "kernel"},
                {kType, 0, "GPU"}});
  writer.Thread(MakeThread(1, 11, "main"));
  writer.Thread(MakeThread(2, 12, "other"));
}

// Two threads of `runs` runs each. Events reach over the ends of runs: some
// have their length in the slot, some get their end by a record of a later run.
std::string Nested(uint32_t runs) {
  CaptureWriter writer;
  constexpr uint32_t kPerRun = 64;
  constexpr uint64_t kStep = 100;
  const uint64_t all = uint64_t{runs} * kPerRun * kStep;
  Begin(writer, all + 10'000);
  for (uint32_t uid = 1; uid <= 2; ++uid) {
    uint64_t tick = 1000;
    uint64_t open_begin = 0;
    uint32_t open = 0;
    for (uint32_t run = 0; run < runs; ++run) {
      SlotList slots;
      if (open_begin != 0) slots.LateEnd(tick, open, open_begin);
      if (run % 2 == 0)  // over this run and half of the next
        slots.Event(tick, kStep * kPerRun * 3 / 2, kOuter);
      for (uint32_t i = 1; i < kPerRun; ++i) {
        tick += kStep;
        const bool python = uid == 2 && i % 8 == 0;
        slots.Event(tick, i % 4 == 0 ? 90 : 250, python ? kPython : kInner);
        if (i % 4 == 0) slots.Event(tick + 10, 30, kInner);
      }
      tick += kStep;
      open_begin = run + 1 < runs && run % 2 == 0 ? tick - 5 : 0;
      if (open_begin != 0)
        open = ((uid - 1) * runs + run) * 4096 + slots.Open(open_begin, kOuter);
      writer.Events(uid, run, (uid - 1) * runs + run, uid * 100'000 + run, 0,
                    slots.slots());
    }
  }
  writer.End(1000 + all + 5'000);
  return writer.bytes();
}

void ExpectLikeTrace(const std::string& path) {
  const auto trace = ImportCapture(path);
  ASSERT_TRUE(trace) << trace.error().message;
  const Result<Preview> preview = PreviewOf(path);
  ASSERT_TRUE(preview) << preview.error().message;
  EXPECT_EQ(preview->outline->first_time_ns(), (*trace)->first_time_ns());
  EXPECT_EQ(preview->outline->end_ns(), (*trace)->end_ns());
  EXPECT_EQ(preview->events, (*trace)->size());
  const Lines exact = LinesOf(**trace);
  const Lines coarse = LinesOf(*preview);
  EXPECT_EQ(coarse.size(), exact.size());
  for (const auto& [key, line] : exact) {
    const auto found = coarse.find(key);
    ASSERT_NE(found, coarse.end()) << std::get<0>(key) << std::get<2>(key);
    EXPECT_EQ(found->second.events, line.events)
        << std::get<0>(key) << " " << std::get<2>(key);
    EXPECT_EQ(found->second.busy_ns, line.busy_ns);
    EXPECT_EQ(found->second.first_ns, line.first_ns);
    EXPECT_EQ(found->second.last_ns, line.last_ns);
  }
}

// The same with events that nest, as those of a program do. A process that was
// killed leaves no end, and an event that is open.
enum class Ending { kStopped, kKilled };
std::string Plain(uint32_t runs, Ending ending = Ending::kStopped) {
  CaptureWriter writer;
  Begin(writer, uint64_t{runs} * 6400 + 10'000);
  for (uint32_t uid = 1; uid <= 2; ++uid) {
    uint32_t open = 0;
    for (uint32_t run = 0; run < runs; ++run) {
      SlotList slots;
      const uint64_t begin = 1000 + uint64_t{run} * 6400;
      if (run % 2 == 1) slots.LateEnd(begin + 20, open, begin - 95);
      if (run % 2 == 0) slots.Event(begin + 30, 6000, kOuter);
      for (uint32_t i = 1; i < 60; ++i) {
        const uint64_t tick = begin + i * 100;
        slots.Event(tick, 90, uid == 2 && i % 8 == 0 ? kPython : kInner);
        if (i % 4 == 0) slots.Event(tick + 10, 30, kInner);
      }
      if (run % 2 == 0 && (run + 1 < runs || ending == Ending::kKilled))
        open =
            ((uid - 1) * runs + run) * 4096 + slots.Open(begin + 6305, kOuter);
      writer.Events(uid, run, (uid - 1) * runs + run, uid * 100'000 + run, 0,
                    slots.slots());
    }
  }
  if (ending == Ending::kStopped)
    writer.End(1000 + uint64_t{runs} * 6400 + 5'000);
  return writer.bytes();
}

TEST(PreviewTest, IsLikeTheTrace) {
  const TempFolder folder;
  ExpectLikeTrace(folder.Write("one.sscap", Plain(3)));
  // More than one stretch per thread.
  ExpectLikeTrace(folder.Write("many.sscap", Plain(400)));
}

TEST(PreviewTest, ShowsWhatAKilledProcessWrote) {
  const TempFolder folder;
  for (const uint32_t runs : {3u, 401u}) {
    const std::string path =
        folder.Write("killed.sscap", Plain(runs, Ending::kKilled));
    ExpectLikeTrace(path);
    const Result<Preview> preview = PreviewOf(path);
    ASSERT_TRUE(preview);
    EXPECT_FALSE(preview->outline->complete());
  }
}

// The file ends in the middle of a block.
TEST(PreviewTest, LeavesOutABlockThatWasCutShort) {
  const TempFolder folder;
  std::string bytes = Plain(5, Ending::kKilled);
  bytes.resize(bytes.size() - 100);
  const std::string path = folder.Write("cut.sscap", bytes);
  const auto trace = ImportCapture(path);
  const Result<Preview> preview = PreviewOf(path);
  ASSERT_TRUE(trace && preview);
  EXPECT_GT(preview->events, 0u);
  EXPECT_LE(preview->events, (*trace)->size());
}

TEST(PreviewTest, CountsWhatOverlaps) {
  const TempFolder folder;
  const std::string path = folder.Write("a.sscap", Nested(300));
  const auto trace = ImportCapture(path);
  const Result<Preview> preview = PreviewOf(path);
  ASSERT_TRUE(trace && preview);
  EXPECT_EQ(preview->events, (*trace)->size());
  uint64_t sum = 0;
  for (const PreviewTrack& track : preview->tracks)
    sum += track.events[0] + track.events[1];
  EXPECT_EQ(sum, preview->events);
}

TEST(PreviewTest, BoxesAreBounded) {
  const TempFolder folder;
  const Result<Preview> preview =
      PreviewOf(folder.Write("a.sscap", Plain(3000)));
  ASSERT_TRUE(preview);
  for (const PreviewTrack& track : preview->tracks)
    for (const auto& kind : track.lines)
      for (const PreviewLine& line : kind) {
        EXPECT_LE(line.size(), 2u << 12);
        for (size_t i = 1; i < line.size(); ++i)
          EXPECT_LE(line[i - 1].start_ns, line[i].start_ns);
      }
}

TEST(PreviewTest, ShowsDeviceWork) {
  CaptureWriter writer;
  Begin(writer, 100'000);
  SlotList slots;
  for (uint32_t i = 0; i < 10; ++i) slots.Event(1000 + i * 100, 50, kInner);
  writer.Events(1, 0, 0, 1, 0, slots.slots());
  format::DeviceHeader header = {};
  header.device_type = kType;
  std::string payload(reinterpret_cast<const char*>(&header), sizeof header);
  for (uint32_t i = 0; i < 20; ++i) {
    stepscope_record_work work = {};
    work.head = {STEPSCOPE_RECORD_WORK, sizeof work, kKernel};
    work.start = 2000 + (i ^ 1u) * 1000;  // not in order
    work.end = work.start + 400;
    work.stream = i % 2 == 0 ? 7 : 8;
    payload.append(reinterpret_cast<const char*>(&work), sizeof work);
  }
  writer.Block(static_cast<uint16_t>(format::BlockKind::kDevice), 1, payload);
  writer.End(90'000);
  const TempFolder folder;
  ExpectLikeTrace(folder.Write("a.sscap", writer.bytes()));
}

TEST(PreviewTest, NoneOfWhatIsSmallOrConverted) {
  const TempFolder folder;
  EXPECT_FALSE(PreviewOf(folder.Write("a.sscap", Plain(3)), {}));
  EXPECT_FALSE(PreviewOf(folder.Write("c.sscap", "SSCAP01\n")));
  EXPECT_FALSE(PreviewOf(folder.Write("d.sscap", "")));
  CancelToken cancel;
  cancel.Cancel();
  PreviewOptions options = Small();
  options.cancel = &cancel;
  const auto cancelled = PreviewOf(folder.Write("e.sscap", Plain(3)), options);
  ASSERT_FALSE(cancelled);
  EXPECT_EQ(cancelled.error().code, ErrorCode::kCancelled);
}

TEST(PreviewTest, LeavesOutADamagedBlock) {
  const TempFolder folder;
  std::string bytes = Plain(4);
  bytes[bytes.size() / 2] ^= 1;
  const Result<Preview> preview = PreviewOf(folder.Write("a.sscap", bytes));
  ASSERT_TRUE(preview) << preview.error().message;
  EXPECT_LT(preview->events, preview->stated);
}

// A name that has most of the time is found, whatever comes between.
TEST(PreviewTest, NamesTheMajority) {
  const ClockMap clock;
  std::vector<Site> sites(8);
  PreviewScale scale;
  scale.clock = &clock;
  for (uint32_t i = 0; i < sites.size(); ++i) sites[i].name = StringId{i};
  scale.sites = sites;
  scale.level = 20;
  PreviewFold fold;
  for (int i = 0; i < 600; ++i)
    fold.Add(scale, i * 100, i % 2 == 0 ? 90 : 30,
             i % 2 == 0 ? 5u : 1u + static_cast<uint32_t>(i % 3));
  fold.Close(scale);
  ASSERT_EQ(fold.boxes.size(), 1u);
  EXPECT_EQ(fold.boxes[0].name.v, 5u);
  EXPECT_EQ(fold.boxes[0].events, 600u);
  EXPECT_EQ(fold.boxes[0].busy_ns, 300 * 90 + 300 * 30);
  EXPECT_LE(fold.boxes[0].name_ns, 300 * 90);
  EXPECT_GE(fold.boxes[0].name_ns * 2, fold.boxes[0].busy_ns);
}

}  // namespace
}  // namespace stepscope::capture
