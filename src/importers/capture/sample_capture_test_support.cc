// SPDX-License-Identifier: Apache-2.0
#include "importers/capture/sample_capture_test_support.h"

#include <stdlib.h>

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "base/file.h"
#include "format/live_file.h"

namespace stepscope::capture {
namespace {

using format::SlotPosition;

// Site ids.
enum : uint32_t {
  kStep = 2,
  kForward,
  kLong,
  kShape,
  kLoss,
  kPlace,
  kArrow,
  kLoad,
  kUnused
};

const std::vector<NameSpec>& SampleNames() {
  static const std::vector<NameSpec> names = {
      {kStep, STEPSCOPE_PROFILE_STEP, "ProfileStep#0"},
      {kForward, STEPSCOPE_FORWARD, "forward"},
      {kLong, STEPSCOPE_USER_DEFINED, "a long na", 4000},
      {kShape, STEPSCOPE_USER_DEFINED, "shape"},
      {kLoss, STEPSCOPE_USER_DEFINED, "loss"},
      {kPlace, STEPSCOPE_USER_DEFINED, "Place(cpu)"},
      {kArrow, STEPSCOPE_USER_DEFINED, "arrow"},
      {kLoad, STEPSCOPE_DATALOADER, "load"},
  };
  return names;
}

std::vector<format::ThreadEntry> SampleThreads() {
  format::ThreadEntry main = MakeThread(1, 501, "main");
  main.dropped[STEPSCOPE_DROP_POOL] = 3;
  main.dropped[STEPSCOPE_DROP_IO] = 1;
  main.lost_io = 4;
  main.side_dropped = 2;
  format::ThreadEntry loader = MakeThread(2, 502, "loader");
  loader.state = static_cast<uint32_t>(format::ThreadState::kExited);
  format::ThreadEntry second = MakeThread(3, 503, "");
  return {main, loader, second};
}

// Thread 1, run 0, in chunk 0: 4 events, 5 side records.
SlotList MainFirst() {
  SlotList s;
  s.Event(2000, 6000, kStep);
  s.Gap(1);
  const uint32_t forward = s.Event(2200, 1000, kForward);
  s.ListArg(SlotPosition(0, forward), 2200, kShape, {32, 3, 224, 224});
  s.IntArg(SlotPosition(0, forward), 2200, kPlace, -7);
  s.Counter(2600, kLoss, 0.25);
  s.Instant(2700, kLong);
  s.Memory(2800, {0xabc0, 4096, 4096, 8192, kPlace, STEPSCOPE_ALLOCATE, 0});
  s.Open(3400, kLoad);  // ended late, from thread 2
  s.Flow(3500, 77, kArrow, 0);
  return s;
}

// Thread 1, run 1, in chunk 2: 3 events, 3 side records.
SlotList MainSecond() {
  SlotList s;
  const uint32_t forward = s.Open(8100, kForward);
  s.Open(8150, kLoad);  // never ended
  s.LateEnd(9000, SlotPosition(2, forward), 8100);
  s.TextArg(SlotPosition(0, 0), 2000, kShape, "late text", true);
  s.Counter(8300, kLoss, int64_t{5});
  s.Event(8400, 100, kForward);
  return s;
}

// Thread 2, run 0, in chunk 1: 2 events, 2 side records.
SlotList Loader() {
  SlotList s;
  s.Event(2100, 300, kLoad);
  s.LateEnd(3800, SlotPosition(0, 17), 3400);
  s.Event(4000, 200, kLoad);
  s.Flow(4100, 77, kArrow, 1);
  return s;
}

// Thread 3, run 0, behind thread 2 in chunk 1: 2 events, 1 side record.
SlotList Second() {
  SlotList s;
  const uint32_t first = Loader().size() + 2;  // behind the owner record
  s.Event(5000, 100, kForward);
  s.Event(5050, 500, kForward);  // overlaps without nesting: another lane
  s.DoubleArg(SlotPosition(1, first), 5000, kShape, 0.5);
  return s;
}

void Begin(CaptureWriter& w) {
  w.Process({{"pid", "4242"},
             {"rank", "3"},
             {"host", "node7"},
             {"exe", "/opt/train/cnn"},
             {"custom", "x\ny"}});
  w.Clock(format::ClockKind::kTsc, 0,
          {MakeAnchor(1000, 50'000), MakeAnchor(5000, 52'000)});
  w.Names(SampleNames());
}

void Finish(CaptureWriter& w) {
  w.Clock(format::ClockKind::kTsc, 0, {MakeAnchor(10'000, 54'500)});
  w.Usage({{1000, 0, 0, 0, 0}, {9000, 1500, 500, 4000, 4000}});
}

SampleFile Take(const CaptureWriter& w) { return {w.bytes(), w.blocks()}; }

std::vector<format::Slot> Copy(const SlotList& list) {
  return {list.slots().begin(), list.slots().end()};
}

}  // namespace

SampleFile EndedSample() {
  CaptureWriter w;
  Begin(w);
  // A later run first: blocks may come in any order.
  w.Events(1, 1, 2, 12, 0, MainSecond().slots());
  w.Events(2, 0, 1, 11, 0, Loader().slots());
  w.Block(9, 1, "tiles that this version does not read");
  w.Events(3, 0, 1, 11, Loader().size() + 2, Second().slots());
  w.Events(1, 0, 0, 10, 0, MainFirst().slots());
  for (const format::ThreadEntry& entry : SampleThreads()) w.Thread(entry);
  Finish(w);
  w.End(10'000);
  return Take(w);
}

KilledSample MakeKilledSample() {
  CaptureWriter w;
  Begin(w);
  w.Thread(SampleThreads()[1]);
  w.Events(1, 0, 0, 10, 0, MainFirst().slots());
  // In the file and in the ring.
  w.Events(2, 0, 1, 11, 0, Loader().slots());
  Finish(w);
  SlotList shared = Loader();
  shared.Owner(4500, 3, 0);
  std::vector<format::Slot> chunk1 = Copy(shared);
  for (const format::Slot& slot : Copy(Second())) chunk1.push_back(slot);
  std::vector<ChunkSpec> chunks(3);
  // The chunk of the first run was handed out again to another session.
  chunks[0] = {format::ChunkState::kActive, 9, 0, 90, 2, Copy(Loader())};
  chunks[1] = {format::ChunkState::kParked, 2, 0, 11, 1, chunk1};
  chunks[2] = {format::ChunkState::kActive, 1, 1, 12, 1, Copy(MainSecond())};
  std::vector<format::ThreadEntry> threads = SampleThreads();
  threads.insert(threads.begin(), format::ThreadEntry{});
  return {Take(w), MakeLive(1, 9800, threads, SampleNames(), chunks)};
}

KilledSample MakeRecordingSample(uint32_t pid) {
  KilledSample sample = MakeKilledSample();
  std::memcpy(sample.live.data() + offsetof(format::LiveHeader, pid), &pid,
              sizeof(pid));
  return sample;
}

TempFolder::TempFolder() {
  std::string pattern = std::filesystem::temp_directory_path().string() +
                        "/stepscope_test_XXXXXX";
  if (mkdtemp(pattern.data()) == nullptr) std::abort();
  path_ = pattern;
}

TempFolder::~TempFolder() {
  std::error_code error;
  std::filesystem::remove_all(path_, error);
}

std::string TempFolder::Write(const std::string& name,
                              const std::string& bytes) const {
  if (const Status status = ReplaceFile(path(name), bytes); !status) {
    std::fprintf(stderr, "%s\n", status.error().message.c_str());
    std::abort();
  }
  return path(name);
}

}  // namespace stepscope::capture
