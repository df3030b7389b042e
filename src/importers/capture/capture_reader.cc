// SPDX-License-Identifier: Apache-2.0
#include "importers/capture/capture_reader.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <tuple>

#include "base/text.h"
#include "importers/capture/live_place.h"
#include "importers/capture/outline.h"
#include "trace/job/process_ending.h"

namespace stepscope::capture {
namespace {

using format::BlockKind;
using format::EventsHeader;

bool HasLosses(const format::ThreadEntry& entry) {
  uint64_t lost = entry.side_dropped | entry.lost_io | entry.lost_side |
                  entry.lost_file_limit;
  for (const uint64_t n : entry.dropped) lost |= n;
  return lost != 0;
}

// What a damaged run held, as far as its header can be believed.
uint64_t StatedRecords(const EventsHeader& header) {
  return std::min<uint64_t>(uint64_t{header.events} + header.side_records,
                            format::kSlotsPerChunk);
}

}  // namespace

CaptureReader::CaptureReader(File file, std::string path,
                             const ImportOptions& options,
                             TraceBuilder& builder)
    : file_(std::move(file)),
      path_(std::move(path)),
      options_(options),
      builder_(builder),
      tables_(builder.strings()) {}

Status CaptureReader::Read() {
  STEPSCOPE_TRY(Scan());
  STEPSCOPE_TRY(ReadTables());
  if (!tables_.end && list_.header) JoinLive();
  OrderRuns();
  STEPSCOPE_TRY_ASSIGN(const bool readable, AnythingReadable());
  if (!readable)
    return Fail(ErrorCode::kCorrupt,
                At(first_damage_.value_or(0),
                   list_.header ? "expected a block; no event can be read"
                                : "expected the header of a capture"));
  return AddToBuilder();
}

std::string CaptureReader::At(uint64_t offset, const std::string& what) const {
  return Format("%s: byte %llu: ", file_.path().c_str(),
                static_cast<unsigned long long>(offset)) +
         what;
}

Status CaptureReader::Scan() {
  STEPSCOPE_TRY_ASSIGN(list_, ScanBlocks(file_));
  if (list_.header && list_.header->version > format::kFileVersion)
    return Fail(ErrorCode::kUnsupported,
                At(8, Format("capture version %u; this program reads up to %u",
                             list_.header->version, format::kFileVersion)));
  if (!list_.header) first_damage_ = 0;
  if (list_.skipped_bytes > 0 && !first_damage_)
    first_damage_ = list_.first_skipped;
  return Ok();
}

void CaptureReader::Damaged(const Block& block) {
  ++damaged_blocks_;
  if (!first_damage_) first_damage_ = block.offset;
}

Status CaptureReader::ReadTables() {
  for (const Block& block : list_.blocks) {
    const auto kind = static_cast<BlockKind>(block.header.kind);
    if (block.header.kind == 0 || kind > BlockKind::kDevice ||
        block.header.version == 0 ||
        block.header.version > format::VersionOf(kind)) {
      ++unknown_blocks_;
      continue;
    }
    if (kind == BlockKind::kEvents) {
      AddFileRun(block);
      continue;
    }
    if (kind == BlockKind::kDevice) {
      STEPSCOPE_TRY_ASSIGN(const bool of_history, AddHistoryBlock(block));
      if (!of_history) device_blocks_.push_back(&block);
      continue;
    }
    STEPSCOPE_TRY_ASSIGN(const bool intact, ReadPayload(file_, block, buffer_));
    if (!intact) {
      Damaged(block);
      continue;
    }
    ReadTable(block, {buffer_.data(), static_cast<size_t>(block.header.bytes)});
  }
  return Ok();
}

// False: it is not of the history of an allocator.
Result<bool> CaptureReader::AddHistoryBlock(const Block& block) {
  if (!AllocatorHistory::IsPart({block.head, block.head_bytes})) return false;
  STEPSCOPE_TRY_ASSIGN(const bool intact, ReadPayload(file_, block, buffer_));
  if (!intact || !history_.AddBlock(
                     {buffer_.data(), static_cast<size_t>(block.header.bytes)}))
    Damaged(block);
  return true;
}

void CaptureReader::ReadTable(const Block& block, Bytes payload) {
  bool good = true;
  switch (static_cast<BlockKind>(block.header.kind)) {
    case BlockKind::kProcess:
      good = tables_.AddProcess(payload);
      break;
    case BlockKind::kClock:
      good = tables_.AddClock(payload);
      break;
    case BlockKind::kNames:
      good = tables_.AddNames(payload);
      break;
    case BlockKind::kThreads:
      good = tables_.AddThreads(payload, sizeof(format::ThreadEntry));
      break;
    case BlockKind::kUsage:
      good = tables_.AddUsage(payload);
      break;
    case BlockKind::kEnd:
      good = tables_.AddEnd(payload);
      break;
    default:
      break;
  }
  if (!good) Damaged(block);
}

// Only the run's header is looked at now; its slots when their turn comes.
void CaptureReader::AddFileRun(const Block& block) {
  Run run;
  run.offset = block.offset;
  run.block = &block;
  if (!block.ReadHead(&run.header)) return Damaged(block);
  // An event takes 3 bytes at least: a header that states more is damaged, and
  // must not make us reserve for what cannot be there.
  if (run.header.slots > format::kSlotsPerChunk ||
      run.header.events > run.header.slots ||
      run.header.events > block.header.bytes / 3) {
    Damaged(block);
    rejected_.emplace_back(run, "damaged block");
    return;
  }
  runs_.push_back(run);
}

void CaptureReader::JoinLive() {
  std::vector<std::string> places = LivePlaces(
      path_, options_.confined ? "" : tables_.Find("live_path").value_or(""));
  const bool elsewhere = options_.formats.Get<LiveOptions>().elsewhere;
  if (options_.confined && !elsewhere && !places.empty()) places.resize(1);
  const std::optional<File> live =
      OpenLive(file_, *list_.header, places, options_.confined);
  if (!live) return;
  // Before it is read: a process that ends meanwhile has recorded more.
  recording_ = IsBeingRecorded(*live);
  live_ = ReadLive(*live, *list_.header, tables_);
  // A chunk that is still in the ring may have been written as well, perhaps
  // only in part; the ring has all of it. What the writer marked as written
  // counts only where the file does not have it.
  std::set<uint64_t> in_file;
  for (const Run& run : runs_)
    if (!run.block->torn) in_file.insert(run.header.incarnation);
  std::set<uint64_t> in_ring;
  std::vector<Run> joined;
  for (const LiveChunk& chunk : live_->chunks) {
    if (chunk.header.state ==
            static_cast<uint32_t>(format::ChunkState::kWritten) &&
        in_file.contains(chunk.header.incarnation))
      continue;
    in_ring.insert(chunk.header.incarnation);
    for (const LiveRun& part : SplitRuns(chunk)) {
      Run run;
      run.chunk = &chunk;
      run.header.thread_uid = part.thread_uid;
      run.header.seq = part.seq;
      run.header.incarnation = chunk.header.incarnation;
      run.header.chunk = chunk.index;
      run.header.first_slot = part.first_slot;
      run.header.slots = part.slots;
      run.header.events = part.slots;  // at most
      run.header.base_tick = part.first_tick;
      joined.push_back(run);
    }
  }
  std::erase_if(runs_, [&](const Run& run) {
    return in_ring.contains(run.header.incarnation);
  });
  runs_.insert(runs_.end(), joined.begin(), joined.end());
}

void CaptureReader::OrderRuns() {
  const auto key = [](const Run& run) {
    const EventsHeader& h = run.header;
    return std::tuple(h.thread_uid, h.seq, h.incarnation, h.first_slot);
  };
  std::stable_sort(runs_.begin(), runs_.end(),
                   [&](const Run& a, const Run& b) { return key(a) < key(b); });
  std::vector<Run> once;
  for (const Run& run : runs_) {
    // The same run twice: of two, a torn one goes.
    if (!once.empty() && key(once.back()) == key(run)) {
      const bool swap = once.back().block != nullptr &&
                        once.back().block->torn && !run.block->torn;
      rejected_.emplace_back(swap ? once.back() : run, "duplicate block");
      if (swap) once.back() = run;
    } else {
      once.push_back(run);
    }
  }
  runs_.swap(once);
}

// A file without damage is readable even if nothing was recorded.
Result<bool> CaptureReader::AnythingReadable() {
  bool torn = false;
  for (const Run& run : runs_) {
    if (run.chunk != nullptr) return true;
    STEPSCOPE_TRY_ASSIGN(const bool intact,
                         ReadPayload(file_, *run.block, buffer_));
    if (intact && StatedRecords(run.header) > 0) return true;
    torn |= !intact;
    if (!intact && !first_damage_) first_damage_ = run.offset;
  }
  return !torn && !first_damage_;
}

Status CaptureReader::AddToBuilder() {
  clock_ = ClockMap(tables_.anchors, tables_.nominal_hz);
  const bool has_clock = !clock_.anchors().empty();
  int64_t offset_ns = 0;
  if (has_clock) {
    offset_ns = builder_.AlignEpoch(clock_.anchors().front().realtime_ns, true);
    // Sums of two times stay within int64.
    if (offset_ns > kTimeLimitNs || offset_ns < -kTimeLimitNs) offset_ns = 0;
  }
  Process made = MakeProcess(tables_, clock_, offset_ns, builder_);
  if (recording_)
    made.metadata.emplace_back(builder_.Intern(kRecordingKey),
                               builder_.Intern("yes"));
  const uint32_t process = builder_.AddProcess(std::move(made));
  AddTracks(process);
  EventDecoder decoder(builder_, process, clock_, has_clock, offset_ns,
                       tables_.sites);
  if (!history_.empty()) decoder.SetHistory(&history_);
  const Row first_row = builder_.event_count();
  STEPSCOPE_TRY(DecodeRuns(decoder));
  decoder.Resolve();
  Report(decoder, offset_ns);
  const Row last_row = builder_.event_count();
  // Last: rows added one by one move those of the decoder.
  STEPSCOPE_TRY(AddDevices(process, offset_ns));
  if (!history_.empty())
    JoinHistory({builder_, process, clock_, offset_ns, first_row, last_row},
                decoder.LatestNs());
  return Ok();
}

void CaptureReader::JoinHistory(HistoryTarget target, int64_t latest_ns) {
  target.begin_ns = target.offset_ns;
  target.end_ns = tables_.end
                      ? clock_.ToNs(tables_.end->stop_tick) + target.offset_ns
                      : latest_ns;
  history_.Join(target);
}

void CaptureReader::AddTracks(uint32_t process) {
  for (const Run& run : runs_) tracks_.emplace(run.header.thread_uid, 0);
  for (const auto& [uid, entry] : tables_.threads)
    if (uid != kNoThread || HasLosses(entry)) tracks_.emplace(uid, 0);
  for (auto& [uid, index] : tracks_)
    index = builder_.AddTrack(MakeThreadTrack(uid, tables_, process, builder_));
}

Status CaptureReader::DecodeRuns(EventDecoder& decoder) {
  uint64_t events = 0;
  uint32_t most_slots = 0;
  for (const Run& run : runs_) {
    events += run.header.events;
    most_slots = std::max(most_slots, run.header.slots);
  }
  STEPSCOPE_TRY(decoder.Reserve(events, most_slots));
  const uint64_t total = file_.Size() ? *file_.Size() : 0;
  uint64_t done = 0;
  for (const Run& run : runs_) {
    if (options_.cancelled()) return Cancelled(file_.path());
    if (run.block != nullptr) {
      done += run.block->header.bytes;
      options_.Report(std::min(done, total), total);
    }
    RunInfo info;
    info.header = run.header;
    if (run.block != nullptr) info.version = run.block->header.version;
    info.track = tracks_[run.header.thread_uid];
    info.offset = run.offset;
    if (run.chunk == nullptr) {
      STEPSCOPE_TRY(DecodeFileRun(run, info, decoder));
      continue;
    }
    const RunCounts counts = decoder.DecodeSlots(
        info, run.chunk->slots.data() + run.header.first_slot);
    live_events_ += counts.events;
    Count(run.header.thread_uid, counts);
  }
  for (const auto& [run, reason] : rejected_)
    builder_.ledger().Reject(reason, run.offset, {}, StatedRecords(run.header));
  return Ok();
}

Status CaptureReader::DecodeFileRun(const Run& run, const RunInfo& info,
                                    EventDecoder& decoder) {
  STEPSCOPE_TRY_ASSIGN(bool whole, ReadPayload(file_, *run.block, buffer_));
  RunCounts counts;
  // A running process only appends, but the file may be anybody's.
  whole = whole &&
          std::memcmp(buffer_.data(), &run.header, sizeof(run.header)) == 0;
  if (whole) {
    const Bytes packed(
        buffer_.data() + sizeof(EventsHeader),
        static_cast<size_t>(run.block->header.bytes) - sizeof(EventsHeader));
    counts = decoder.DecodePacked(info, packed, &whole);
    Count(run.header.thread_uid, counts);
  }
  if (!whole) {
    Damaged(*run.block);
    const uint64_t stated = StatedRecords(run.header);
    const uint64_t read = counts.events + counts.side_records;
    if (stated > read)
      builder_.ledger().Reject("damaged block", run.offset, {}, stated - read);
  }
  return Ok();
}

Status CaptureReader::AddDevices(uint32_t process, int64_t offset_ns) {
  if (device_blocks_.empty()) return Ok();
  DeviceRecords devices(builder_, process, clock_, offset_ns, tables_.sites);
  if (!history_.empty()) devices.SetHistory(&history_);
  if (tables_.end) devices.SetStop(tables_.end->stop_tick);
  for (const auto& [uid, entry] : tables_.threads)
    if (const auto track = tracks_.find(uid);
        track != tracks_.end() && uid != kNoThread)
      devices.AddThread(entry.tid, track->second);
  for (const Block* block : device_blocks_) {
    STEPSCOPE_TRY_ASSIGN(const bool intact,
                         ReadPayload(file_, *block, buffer_));
    if (intact) {
      devices.AddBlock(
          {buffer_.data(), static_cast<size_t>(block->header.bytes)},
          block->offset);
      continue;
    }
    Damaged(*block);
    builder_.ledger().Reject("damaged device block", block->offset);
  }
  devices.Finish();
  if (!tables_.end && devices.LatestNs() != INT64_MIN)
    builder_.AddWindow(devices.LatestNs(), devices.LatestNs());
  return Ok();
}

void CaptureReader::Count(uint32_t uid, const RunCounts& counts) {
  RunCounts& sum = recorded_[uid];
  sum.events += counts.events;
  sum.side_records += counts.side_records;
}

}  // namespace stepscope::capture
