// SPDX-License-Identifier: Apache-2.0
#include "collector/window_copy.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstring>

#include "collector/clock.h"
#include "collector/error.h"
#include "collector/names.h"
#include "collector/window_filter.h"
#include "format/event_codec.h"
#include "format/event_unpack.h"
#include "format/live_file.h"

namespace stepscope::collector {
namespace {

using format::BlockHeader;
using format::BlockKind;
using format::ChunkHeader;
using format::ChunkState;
using format::EventsHeader;
using format::kSlotsPerChunk;
using format::Slot;
using format::ThreadEntry;

constexpr uint64_t kMaxBlock = 640 * 1024;
constexpr uint64_t kNamesPiece = 256 * 1024;

// Of the one thread that copies; bss: pages appear as they are used.
struct Workspace {
  LateEnds ends;
  Slot slots[kSlotsPerChunk] = {};  // a run, unpacked
  Slot chunk[kSlotsPerChunk] = {};  // as it stands in the ring
  alignas(64) uint8_t in[kMaxBlock + 64] = {};
  alignas(64) uint8_t out[kMaxBlock + 64] = {};
};
constinit Workspace work{};

struct SlotSink {
  Slot* slots;
  uint32_t first;
  void Events(uint32_t slot, const format::EventBatch& batch) const {
    for (uint32_t i = 0; i < batch.count; ++i)
      slots[slot - first + i] = {batch.base + batch.from[i], batch.dur[i],
                                 batch.site[i]};
  }
  void Side(uint32_t slot, const Slot& head, const uint8_t* payload,
            uint32_t count) const {
    slots[slot - first] = head;
    std::memcpy(slots + (slot - first) + 1, payload, count * sizeof(Slot));
  }
};

class Copier {
 public:
  Copier(Session* session, const TickWindow& window, CaptureFile* out)
      : session_(session), ticks_(window), out_(out) {
    devices_.from = window.from;
    if (ticks_.until > Now()) ticks_.until = Now();
  }
  ~Copier() {
    if (fd_ >= 0) close(fd_);
  }
  Copier(const Copier&) = delete;
  Copier& operator=(const Copier&) = delete;

  bool Run(bool held);

 private:
  struct Found {
    BlockHeader header;
    uint64_t offset;
  };
  template <typename Visit>
  bool ForEachBlock(Visit visit);
  void Survey(const Found& block);
  bool Copy(const Found& block);
  bool CopyEvents(uint64_t bytes, uint16_t version);
  bool CopyDevice(const Found& block);
  bool Unpack(const uint8_t* payload, uint64_t bytes, uint16_t version,
              EventsHeader* header);
  bool PutRun(EventsHeader header);
  bool Put(BlockKind kind, const void* payload, uint64_t bytes);
  template <typename Visit>
  bool ForEachHeldChunk(Visit visit);
  bool PutHeldChunk(uint32_t index, const ChunkHeader& chunk);
  bool CopyHeld();
  bool CopyNames();

  Session* session_;
  TickWindow ticks_;
  CaptureFile* out_;
  int fd_ = -1;
  DeviceWindow devices_;
  uint64_t anchor_at_ = 0;  // block of the last anchor before the window
  uint64_t counts_at_ = 0;  // last Device block with counts
};

// Payloads are in work.in when `visit` is called. False: it said so, or the
// file cannot be read.
template <typename Visit>
bool Copier::ForEachBlock(Visit visit) {
  const uint64_t size = session_->file.bytes();
  uint64_t at = sizeof(format::FileHeader);
  while (at + sizeof(BlockHeader) <= size) {
    Found block{{}, at};
    if (pread(fd_, &block.header, sizeof(block.header),
              static_cast<off_t>(at)) != sizeof(block.header) ||
        block.header.magic != format::kBlockMagic)
      return false;
    const uint64_t bytes = format::PaddedBytes(block.header.bytes);
    at += sizeof(BlockHeader);
    if (bytes > size - at) return false;
    const bool wanted =
        block.header.kind != static_cast<uint16_t>(BlockKind::kNames) &&
        bytes <= kMaxBlock;
    if (wanted && pread(fd_, work.in, bytes, static_cast<off_t>(at)) !=
                      static_cast<ssize_t>(bytes))
      return false;
    at += bytes;
    if (wanted && !visit(block)) return false;
  }
  return true;
}

bool Copier::Unpack(const uint8_t* payload, uint64_t bytes, uint16_t version,
                    EventsHeader* header) {
  if (bytes < sizeof(*header)) return false;
  std::memcpy(header, payload, sizeof(*header));
  if (header->first_slot > kSlotsPerChunk ||
      header->slots > kSlotsPerChunk - header->first_slot)
    return false;
  std::memset(work.slots, 0, header->slots * sizeof(Slot));
  return format::DecodeSlots(payload + sizeof(*header),
                             bytes - sizeof(*header), *header, version,
                             SlotSink{work.slots, header->first_slot});
}

// What must be known of all blocks before the first is copied.
void Copier::Survey(const Found& block) {
  const auto kind = static_cast<BlockKind>(block.header.kind);
  const uint64_t bytes = block.header.bytes;
  if (kind == BlockKind::kEvents) {
    EventsHeader header;
    if (Unpack(work.in, bytes, block.header.version, &header))
      CollectLateEnds(work.slots, header.slots, &work.ends);
  } else if (kind == BlockKind::kDevice &&
             bytes > sizeof(format::DeviceHeader)) {
    const uint8_t* records = work.in + sizeof(format::DeviceHeader);
    const uint64_t n = bytes - sizeof(format::DeviceHeader);
    const uint64_t first = FirstKeptCall(records, n, ticks_.from);
    if (first < devices_.first_call) devices_.first_call = first;
    if (HasCounts(records, n)) counts_at_ = block.offset;
  } else if (kind == BlockKind::kClock) {
    format::Anchor anchor;
    std::memcpy(&anchor, work.in + sizeof(format::ClockHeader),
                sizeof(anchor));
    if (anchor.tick <= ticks_.from) anchor_at_ = block.offset;
  }
}

bool Copier::Put(BlockKind kind, const void* payload, uint64_t bytes) {
  if (payload != work.out + sizeof(BlockHeader))
    std::memcpy(work.out + sizeof(BlockHeader), payload, bytes);
  const uint64_t total = out_->Seal(work.out, bytes, kind);
  return out_->Append(work.out, total, 1, true) == AppendResult::kOk;
}

// Packs work.slots; nothing where nothing is left.
bool Copier::PutRun(EventsHeader header) {
  uint64_t base = 0;
  for (uint32_t i = 0; i < header.slots && base == 0; ++i)
    base = work.slots[i].begin;
  if (base == 0) return true;
  uint8_t* payload = work.out + sizeof(BlockHeader);
  const format::PackedCounts packed = format::EncodeSlots(
      work.slots, header.slots, base, payload + sizeof(header));
  header.events = packed.events;
  header.side_records = packed.side_records;
  header.controls = packed.controls;
  header.base_tick = base;
  std::memcpy(payload, &header, sizeof(header));
  return Put(BlockKind::kEvents, payload, sizeof(header) + packed.bytes);
}

bool Copier::CopyEvents(uint64_t bytes, uint16_t version) {
  EventsHeader header;
  if (!Unpack(work.in, bytes, version, &header))
    return Put(BlockKind::kEvents, work.in, bytes);  // for the reader to judge
  KeepWindowSlots(work.slots, header.slots,
                  format::SlotPosition(header.chunk, header.first_slot), ticks_,
                  work.ends);
  return PutRun(header);
}

bool Copier::CopyDevice(const Found& block) {
  if (block.header.bytes < sizeof(format::DeviceHeader)) return true;
  format::DeviceHeader header;
  std::memcpy(&header, work.in, sizeof(header));
  devices_.keep_counts = block.offset == counts_at_;
  const size_t kept = KeepWindowRecords(work.in + sizeof(header),
                                        block.header.bytes - sizeof(header),
                                        devices_, &header.records);
  if (kept == 0) return true;
  std::memcpy(work.in, &header, sizeof(header));
  return Put(BlockKind::kDevice, work.in, sizeof(header) + kept);
}

bool Copier::Copy(const Found& block) {
  const auto kind = static_cast<BlockKind>(block.header.kind);
  switch (kind) {
    case BlockKind::kEvents:
      return CopyEvents(block.header.bytes, block.header.version);
    case BlockKind::kDevice:
      return CopyDevice(block);
    case BlockKind::kClock: {
      format::Anchor anchor;
      std::memcpy(&anchor, work.in + sizeof(format::ClockHeader),
                  sizeof(anchor));
      if (anchor.tick < ticks_.from && block.offset != anchor_at_) return true;
      break;
    }
    case BlockKind::kUsage: {
      format::UsageSample sample;
      std::memcpy(&sample, work.in, sizeof(sample));
      if (sample.tick < ticks_.from) return true;
      break;
    }
    case BlockKind::kThreads: {
      ThreadEntry entry;
      std::memcpy(&entry, work.in, sizeof(entry));
      if (entry.exit_tick != 0 && entry.exit_tick < ticks_.from) return true;
      break;
    }
    default:
      break;
  }
  return Put(kind, work.in, block.header.bytes);
}

bool Copier::Run(bool held) {
  fd_ = open(session_->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (fd_ < 0) {
    SetLastError("%s: cannot read the capture: %s", session_->path,
                 strerror(errno));
    return false;
  }
  work.ends.Clear();
  bool good = ForEachBlock([this](const Found& block) {
    Survey(block);
    return true;
  });
  // Before anything is copied: an end in the ring may be that of a slot in the
  // file, and both go or stay.
  if (good && held)
    ForEachHeldChunk([](uint32_t, const ChunkHeader&) {
      CollectLateEnds(work.chunk, kSlotsPerChunk, &work.ends);
      return true;
    });
  good = good && ForEachBlock([this](const Found& block) {
           return Copy(block);
         }) &&
         (!held || CopyHeld()) && CopyNames();
  if (!good)
    SetLastError("%s: the window could not be copied: %s", session_->path,
                 strerror(errno));
  return good;
}

bool Copier::CopyNames() {
  const uint8_t* records = nullptr;
  uint64_t left = NameRecords(0, &records);
  while (left > 0) {
    uint64_t piece = 0;
    while (piece < left) {
      format::NameRecord record;
      std::memcpy(&record, records + piece, sizeof(record));
      const uint64_t next = format::NameRecordBytes(record.length);
      if (piece > 0 && piece + next > kNamesPiece) break;
      piece += next;
    }
    if (!Put(BlockKind::kNames, records, piece)) return false;
    records += piece;
    left -= piece;
  }
  return true;
}

// A chunk that a thread may be storing into: slot by slot, the begin first,
// since it is stored last. A side record whose header says complete is.
#if defined(__SANITIZE_THREAD__)
__attribute__((no_sanitize_thread))
#endif
void CopySlots(const Slot* from, Slot* to) {
  for (uint32_t i = 0; i < kSlotsPerChunk; ++i) {
    to[i].begin = __atomic_load_n(&from[i].begin, __ATOMIC_ACQUIRE);
    to[i].dur = __atomic_load_n(&from[i].dur, __ATOMIC_ACQUIRE);
    to[i].site = __atomic_load_n(&from[i].site, __ATOMIC_RELAXED);
  }
}

// Clears side records that are being stored just now, and all that began after
// `until`: chunks are copied one after the other, and a record in the last must
// not speak of an event that came too late for the first.
void ClearUnfinished(Slot* slots, uint64_t until) {
  for (uint32_t i = 0; i < kSlotsPerChunk; ++i) {
    if (slots[i].begin == 0) continue;
    const bool side = format::IsSide(slots[i].site);
    uint32_t n = side ? 1 + format::SidePayloadSlots(slots[i].site) : 1;
    if (n > kSlotsPerChunk - i) n = kSlotsPerChunk - i;
    if (slots[i].begin > until || (side && slots[i].dur == 0))
      std::memset(slots + i, 0, n * sizeof(Slot));
    i += n - 1;
  }
}

// Threads that went on in a chunk that another had parked each have a run of
// their own in it.
bool Copier::PutHeldChunk(uint32_t index, const ChunkHeader& chunk) {
  EventsHeader header{};
  header.thread_uid = chunk.thread_uid;
  header.seq = chunk.seq;
  header.incarnation = chunk.incarnation;
  header.chunk = index;
  const auto put_until = [&](uint32_t end) {
    header.slots = end - header.first_slot;
    std::memcpy(work.slots, work.chunk + header.first_slot,
                header.slots * sizeof(Slot));
    KeepWindowSlots(work.slots, header.slots,
                    format::SlotPosition(index, header.first_slot), ticks_,
                    work.ends);
    return PutRun(header);
  };
  for (uint32_t i = 0; i < kSlotsPerChunk; ++i) {
    const Slot& slot = work.chunk[i];
    if (slot.begin == 0 || !format::IsSide(slot.site)) continue;
    const uint32_t payload = format::SidePayloadSlots(slot.site);
    if (format::SideKindOf(slot.site) == format::SideKind::kOwner &&
        payload == 1 && i + 1 < kSlotsPerChunk) {
      if (!put_until(i)) return false;
      format::OwnerPayload owner;
      std::memcpy(&owner, &work.chunk[i + 1], sizeof(owner));
      header.thread_uid = owner.thread_uid;
      header.seq = owner.seq;
      header.first_slot = i + 2;
    }
    i += payload;
  }
  return put_until(kSlotsPerChunk);
}

// Copies each chunk of the session that is not in its file to work.chunk.
template <typename Visit>
bool Copier::ForEachHeldChunk(Visit visit) {
  const uint32_t generation = session_->generation.load();
  const uint32_t count = core.ring.reserved_chunks();
  for (uint32_t i = 0; i < count; ++i) {
    const ChunkHeader* chunk = core.ring.chunk(i);
    const auto state = static_cast<ChunkState>(
        __atomic_load_n(&chunk->state, __ATOMIC_ACQUIRE));
    if ((state != ChunkState::kActive && state != ChunkState::kFull &&
         state != ChunkState::kParked) ||
        chunk->generation != generation || core.ring.InFile(i))
      continue;
    ChunkHeader header;
    std::memcpy(&header, chunk, sizeof(header));
    CopySlots(core.ring.slots(i), work.chunk);
    ClearUnfinished(work.chunk, ticks_.until);
    if (!visit(i, header)) return false;
  }
  return true;
}

bool Copier::CopyHeld() {
  if (!ForEachHeldChunk([this](uint32_t i, const ChunkHeader& header) {
        return PutHeldChunk(i, header);
      }))
    return false;
  const uint32_t generation = session_->generation.load();
  const RingMap map = core.ring.map();
  for (uint32_t i = 0; i < core.ring.sizes().threads; ++i) {
    ThreadEntry entry;
    std::memcpy(&entry, map.entry(i), sizeof(entry));
    const bool listed =
        i == 0 ||
        (entry.state != static_cast<uint32_t>(format::ThreadState::kFree) &&
         entry.generation == generation);
    if (listed && !Put(BlockKind::kThreads, &entry, sizeof(entry)))
      return false;
  }
  return true;
}

}  // namespace

bool CopyWindow(Session* session, const TickWindow& window, bool held,
                CaptureFile* out) {
  return Copier(session, window, out).Run(held);
}

}  // namespace stepscope::collector
