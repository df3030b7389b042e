// SPDX-License-Identifier: Apache-2.0
#include "cli/record/run_fold.h"

#include <fcntl.h>
#include <stepscope/c.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>
#include <vector>

#include "base/file.h"
#include "base/string_pool.h"
#include "format/crc32c.h"
#include "format/event_codec.h"
#include "importers/capture/block_scanner.h"
#include "importers/capture/live_place.h"
#include "importers/capture/live_reader.h"
#include "importers/capture/metadata.h"

namespace stepscope {
namespace {

using format::BlockHeader;
using format::BlockKind;
using format::ChunkState;
using format::EventsHeader;

template <typename T>
std::string_view BytesOf(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof(value)};
}

// Blocks in the making, numbered on from those that the file has.
class BlockList {
 public:
  explicit BlockList(uint32_t first) : next_(first) {}

  void Add(BlockKind kind, std::string_view payload) {
    BlockHeader header = {};
    header.magic = format::kBlockMagic;
    header.kind = static_cast<uint16_t>(kind);
    header.version = format::VersionOf(kind);
    header.bytes = payload.size();
    header.payload_crc = format::Crc32c(payload.data(), payload.size());
    header.seq = next_++;
    header.header_crc =
        format::Crc32c(&header, offsetof(BlockHeader, header_crc));
    bytes_ += BytesOf(header);
    bytes_ += payload;
    bytes_.append(format::PaddedBytes(payload.size()) - payload.size(), '\0');
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
  uint32_t next_;
};

struct Range {
  uint64_t begin;
  uint64_t end;
};

// One capture and its live file, joined as CaptureReader joins them.
class Fold {
 public:
  Fold(File capture, std::string live)
      : file_(std::move(capture)), live_path_(std::move(live)) {}

  Result<uint64_t> Run(std::string_view ended);

 private:
  Status Scan();
  Status AddNames(const File& live, BlockList& blocks) const;
  void AddThreads(BlockList& blocks) const;
  void AddClock(BlockList& blocks) const;
  void AddChunk(const capture::LiveChunk& chunk, BlockList& blocks);
  Status Write(const std::string& blocks) const;
  Status Append(uint64_t at, const std::string& blocks) const;
  Status Rewrite(const std::string& blocks) const;

  File file_;
  std::string live_path_;
  StringPool strings_;
  capture::Metadata metadata_{strings_};
  capture::BlockList list_;
  uint64_t size_ = 0;
  bool ended_ = false;           // has its End block
  std::set<uint64_t> in_file_;   // incarnations
  std::set<uint64_t> replaced_;  // those that the ring has better
  uint64_t stop_tick_ = 0;
  uint64_t taken_ = 0;  // events of the live file, side records included
};

Status Fold::Scan() {
  STEPSCOPE_TRY_ASSIGN(list_, capture::ScanBlocks(file_));
  STEPSCOPE_TRY_ASSIGN(size_, file_.Size());
  if (!list_.header)
    return Fail(ErrorCode::kCorrupt, file_.path() + ": damaged file header");
  std::vector<uint8_t> payload;
  for (const capture::Block& block : list_.blocks) {
    if (block.torn) continue;
    const auto kind = static_cast<BlockKind>(block.header.kind);
    EventsHeader header;
    if (kind == BlockKind::kEvents && block.ReadHead(&header))
      in_file_.insert(header.incarnation);
    ended_ |= kind == BlockKind::kEnd;
    if (kind != BlockKind::kProcess && kind != BlockKind::kClock) continue;
    STEPSCOPE_TRY_ASSIGN(const bool intact,
                         capture::ReadPayload(file_, block, payload));
    if (!intact) continue;
    const capture::Bytes bytes(payload.data(),
                               static_cast<size_t>(block.header.bytes));
    if (kind == BlockKind::kProcess)
      metadata_.AddProcess(bytes);
    else
      metadata_.AddClock(bytes);
  }
  return Ok();
}

// All of them: what the file has already is said once more.
Status Fold::AddNames(const File& live, BlockList& blocks) const {
  format::LiveHeader header;
  STEPSCOPE_TRY_ASSIGN(
      size_t got,
      live.ReadAt(0, {reinterpret_cast<uint8_t*>(&header), sizeof(header)}));
  STEPSCOPE_TRY_ASSIGN(const uint64_t size, live.Size());
  if (got < sizeof(header) || header.names_offset > size) return Ok();
  std::vector<uint8_t> names(static_cast<size_t>(std::min(
      {header.names_used, header.names_bytes, size - header.names_offset})));
  STEPSCOPE_TRY_ASSIGN(got, live.ReadAt(header.names_offset, names));
  if (got > 0)
    blocks.Add(BlockKind::kNames,
               {reinterpret_cast<const char*>(names.data()), got});
  return Ok();
}

void Fold::AddThreads(BlockList& blocks) const {
  std::string entries;
  for (const auto& [uid, entry] : metadata_.threads) entries += BytesOf(entry);
  if (!entries.empty()) blocks.Add(BlockKind::kThreads, entries);
}

// A process that lived for less than the writer's interval left one anchor, and
// the rate of its counter takes two. The counter is the machine's: a second one
// can be taken now. REQUIRES: recorded on this machine since it was started.
void Fold::AddClock(BlockList& blocks) const {
  if (metadata_.anchors.size() != 1 ||
      metadata_.clock_kind == format::ClockKind::kMonotonic)
    return;
  const auto now = [](clockid_t id) {
    timespec time = {};
    clock_gettime(id, &time);
    return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
  };
  struct {
    format::ClockHeader header;
    format::Anchor anchor;
  } payload = {};
  payload.header = {static_cast<uint32_t>(metadata_.clock_kind), 1,
                    metadata_.nominal_hz};
  format::Anchor& anchor = payload.anchor;
  const int64_t before = now(CLOCK_MONOTONIC);
  anchor.tick = stepscope_tick();
  const int64_t after = now(CLOCK_MONOTONIC);
  anchor.monotonic_ns = before + (after - before) / 2;
  anchor.error_ns = 1 + static_cast<uint64_t>(after - before) / 2;
  anchor.realtime_ns = now(CLOCK_REALTIME);
  anchor.boottime_ns = now(CLOCK_BOOTTIME);
  blocks.Add(BlockKind::kClock, BytesOf(payload));
}

void Fold::AddChunk(const capture::LiveChunk& chunk, BlockList& blocks) {
  std::vector<uint8_t> packed(format::MaxPackedBytes(chunk.slots.size()));
  for (const capture::LiveRun& run : capture::SplitRuns(chunk)) {
    const format::Slot* slots = chunk.slots.data() + run.first_slot;
    for (uint32_t i = 0; i < run.slots; ++i) {
      const format::Slot& slot = slots[i];
      uint64_t tick = slot.begin;
      if (format::IsSide(slot.site))
        i += format::SidePayloadSlots(slot.site);
      else if (slot.dur != 0 && slot.dur != UINT32_MAX)
        tick += slot.dur - 1;
      stop_tick_ = std::max(stop_tick_, tick);
    }
    const format::PackedCounts counts =
        format::EncodeSlots(slots, run.slots, run.first_tick, packed.data());
    if (counts.events == 0 && counts.side_records == 0) continue;
    EventsHeader header = {};
    header.thread_uid = run.thread_uid;
    header.seq = run.seq;
    header.incarnation = chunk.header.incarnation;
    header.chunk = chunk.index;
    header.first_slot = run.first_slot;
    header.slots = run.slots;
    header.events = counts.events;
    header.side_records = counts.side_records;
    header.controls = counts.controls;
    header.base_tick = run.first_tick;
    std::string payload(BytesOf(header));
    payload.append(reinterpret_cast<const char*>(packed.data()), counts.bytes);
    blocks.Add(BlockKind::kEvents, payload);
    taken_ += counts.events + counts.side_records;
  }
}

Result<uint64_t> Fold::Run(std::string_view ended) {
  STEPSCOPE_TRY(Scan());
  if (ended_) return taken_;
  const std::optional<File> file =
      capture::OpenLive(file_, *list_.header, std::vector{live_path_});
  if (!file)
    return Fail(ErrorCode::kCorrupt,
                live_path_ + ": not the live file of " + file_.path());
  const capture::LiveData live =
      capture::ReadLive(*file, *list_.header, metadata_);
  BlockList blocks(list_.blocks.empty() ? 0
                                        : list_.blocks.back().header.seq + 1);
  stop_tick_ = live.heartbeat;
  STEPSCOPE_TRY(AddNames(*file, blocks));
  AddThreads(blocks);
  AddClock(blocks);
  for (const capture::LiveChunk& chunk : live.chunks) {
    const bool in_file = in_file_.contains(chunk.header.incarnation);
    if (in_file &&
        chunk.header.state == static_cast<uint32_t>(ChunkState::kWritten))
      continue;
    // A kill between writing a chunk and giving it back: the ring has all.
    if (in_file) replaced_.insert(chunk.header.incarnation);
    AddChunk(chunk, blocks);
  }
  const std::string key = "ended";
  const auto key_bytes = static_cast<uint32_t>(key.size());
  const auto value_bytes = static_cast<uint32_t>(ended.size());
  blocks.Add(BlockKind::kProcess, std::string(BytesOf(key_bytes)) +
                                      std::string(BytesOf(value_bytes)) + key +
                                      std::string(ended));
  const format::EndRecord end = {stop_tick_, live.names_refused, {}};
  blocks.Add(BlockKind::kEnd, BytesOf(end));
  STEPSCOPE_TRY(Write(blocks.bytes()));
  return taken_;
}

// Behind the last whole block. A file of which something must go is written
// anew and replaced at one instant.
Status Fold::Write(const std::string& blocks) const {
  uint64_t at = sizeof(format::FileHeader);
  for (const capture::Block& block : list_.blocks)
    if (!block.torn)
      at = block.payload_offset() + format::PaddedBytes(block.header.bytes);
  return replaced_.empty() ? Append(std::min(at, size_), blocks)
                           : Rewrite(blocks);
}

Status Fold::Append(uint64_t at, const std::string& blocks) const {
  const int fd = file_.fd();
  // What a kill cut off here is whole in the ring.
  Status status = Ok();
  if (ftruncate(fd, static_cast<off_t>(at)) != 0 || lseek(fd, 0, SEEK_END) < 0)
    status = FileError(file_.path(), errno);
  if (status) status = WriteAll(fd, blocks, file_.path());
  if (!status && ftruncate(fd, static_cast<off_t>(at)) != 0)
    status = FileError(file_.path(), errno);
  return status;
}

Status Fold::Rewrite(const std::string& blocks) const {
  std::vector<Range> kept = {{0, sizeof(format::FileHeader)}};
  for (const capture::Block& block : list_.blocks) {
    EventsHeader header;
    const bool goes =
        block.torn ||
        (block.header.kind == static_cast<uint16_t>(BlockKind::kEvents) &&
         block.ReadHead(&header) && replaced_.contains(header.incarnation));
    if (goes) continue;
    const uint64_t end =
        block.payload_offset() + format::PaddedBytes(block.header.bytes);
    if (kept.back().end == block.offset) {
      kept.back().end = end;
    } else {
      kept.push_back({block.offset, end});
    }
  }
  const std::string part = file_.path() + ".part";
  unlink(part.c_str());  // of one that was killed
  STEPSCOPE_TRY_ASSIGN(File fresh,
                       File::OpenRegularAt(AT_FDCWD, part, part,
                                           O_WRONLY | O_CREAT | O_EXCL, 0644));
  Status status = Ok();
  std::vector<uint8_t> piece(size_t{1} << 20);
  for (const Range& range : kept) {
    for (uint64_t at = range.begin; status && at < range.end;) {
      const auto want =
          static_cast<size_t>(std::min<uint64_t>(piece.size(), range.end - at));
      const Result<size_t> got = file_.ReadAt(at, {piece.data(), want});
      if (!got || *got == 0) {
        status = got ? Status(Fail(ErrorCode::kIo, file_.path() + ": shrunk"))
                     : Status(got.error());
        break;
      }
      status =
          WriteAll(fresh.fd(),
                   {reinterpret_cast<const char*>(piece.data()), *got}, part);
      at += *got;
    }
  }
  if (status) status = WriteAll(fresh.fd(), blocks, part);
  if (const Status closed = fresh.Close(); !closed && status) status = closed;
  if (status && rename(part.c_str(), file_.path().c_str()) != 0)
    status = FileError(file_.path(), errno);
  if (!status) unlink(part.c_str());
  return status;
}

}  // namespace

std::string FactOfCapture(const std::string& capture, std::string_view key) {
  // The recorder describes the process in the first block, of 4 KiB at most.
  constexpr size_t kFirst = sizeof(format::FileHeader);
  std::vector<uint8_t> head(kFirst + sizeof(BlockHeader) + 4096);
  const Result<File> file =
      File::OpenRegularAt(AT_FDCWD, capture, capture, O_RDONLY);
  const Result<size_t> got =
      file ? file->ReadAt(0, head) : Result<size_t>(file.error());
  if (!got || *got < kFirst + sizeof(BlockHeader)) return "";
  BlockHeader header;
  std::memcpy(&header, head.data() + kFirst, sizeof(header));
  const size_t room = *got - kFirst - sizeof(header);
  if (header.kind != static_cast<uint16_t>(BlockKind::kProcess) ||
      header.bytes > room)
    return "";
  StringPool strings;
  capture::Metadata tables(strings);
  tables.AddProcess({head.data() + kFirst + sizeof(header),
                     static_cast<size_t>(header.bytes)});
  return std::string(tables.Find(key).value_or(""));
}

Result<uint64_t> FoldLiveFile(const std::string& capture,
                              const std::string& live, std::string_view ended) {
  STEPSCOPE_TRY_ASSIGN(File file,
                       File::OpenRegularAt(AT_FDCWD, capture, capture, O_RDWR));
  struct stat status = {};
  if (fstat(file.fd(), &status) != 0) return FileError(capture, errno);
  // The other may be somebody's file elsewhere.
  if (status.st_nlink > 1)
    return Fail(ErrorCode::kIo, capture + ": has a second name");
  return Fold(std::move(file), live).Run(ended);
}

}  // namespace stepscope
