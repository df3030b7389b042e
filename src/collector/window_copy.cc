// SPDX-License-Identifier: Apache-2.0
#include "collector/window_copy.h"

#include <errno.h>

#include <cstring>

#include "collector/clock.h"
#include "collector/error.h"
#include "collector/names.h"
#include "collector/window_filter.h"
#include "collector/window_index.h"
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
  LateEnds held;                    // ends in the ring
  Slot slots[kSlotsPerChunk] = {};  // a run, unpacked
  Slot chunk[kSlotsPerChunk] = {};  // as it stands in the ring
  uint64_t needed[WindowIndex::kMostNeeded] = {};
  alignas(64) uint8_t in[sizeof(BlockHeader) + kMaxBlock + 64] = {};
  alignas(64) uint8_t out[sizeof(BlockHeader) + kMaxBlock + 64] = {};
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

// True if the chunk is of that session and not in its file.
bool IsHeld(uint32_t index, uint32_t generation) {
  if (!core.ring.IsReady(index)) return false;
  const ChunkHeader* chunk = core.ring.chunk(index);
  const auto state =
      static_cast<ChunkState>(__atomic_load_n(&chunk->state, __ATOMIC_ACQUIRE));
  return (state == ChunkState::kActive || state == ChunkState::kFull ||
          state == ChunkState::kParked) &&
         chunk->generation == generation && !core.ring.InFile(index);
}

class Copier {
 public:
  Copier(Session* session, const TickWindow& window, CaptureFile* out)
      : session_(session),
        index_(IndexOf(*session)),
        size_(session->file.bytes()),
        ticks_(window),
        out_(out) {
    devices_.from = window.from;
    if (ticks_.until > Now()) ticks_.until = Now();
  }
  Copier(const Copier&) = delete;
  Copier& operator=(const Copier&) = delete;

  bool Run(bool held);

 private:
  struct Found {
    BlockHeader header;
    uint64_t offset;
    uint8_t* payload;  // in work.in, for the caller to change
  };
  uint8_t* Bytes(uint64_t at, uint64_t count, bool ahead);
  bool ReadBlock(uint64_t at, bool ahead, Found* block, uint64_t* next);
  template <typename Visit>
  bool ForEachBlock(uint64_t from, Visit visit);
  bool Survey();
  void SurveyEvents(const Found& block);
  bool SurveyDevices(uint64_t from);
  void FindEndsThatStay(bool held);
  bool CopyFile();
  bool Copy(const Found& block);
  bool CopyEvents(const Found& block);
  bool CopyDevice(const Found& block);
  bool CopyAnchor(const Found& block);
  bool PutAnchorBefore();
  bool Unpack(const Found& block, EventsHeader* header);
  bool PutRun(EventsHeader header);
  bool Put(BlockKind kind, const void* payload, uint64_t bytes);
  template <typename Visit>
  bool ForEachHeldChunk(Visit visit);
  bool PutHeldChunk(uint32_t index, const ChunkHeader& chunk);
  bool CopyHeld();
  bool CopyNames();

  struct ClockPayload {
    format::ClockHeader header;
    format::Anchor anchor;
  };

  Session* session_;
  WindowIndex& index_;
  uint64_t size_;
  TickWindow ticks_;
  CaptureFile* out_;
  uint64_t in_at_ = 0;  // of the file, what is in work.in
  uint64_t in_bytes_ = 0;
  DeviceWindow devices_;
  bool has_anchor_before_ = false;  // that is not written yet
  ClockPayload anchor_before_ = {};
};

// Those bytes of the file, in work.in; null: they cannot be read. `ahead`: and
// what fits of those behind.
uint8_t* Copier::Bytes(uint64_t at, uint64_t count, bool ahead) {
  if (at < in_at_ || at + count > in_at_ + in_bytes_) {
    constexpr uint64_t kRoom = sizeof(BlockHeader) + kMaxBlock;
    uint64_t bytes = count;
    if (ahead) bytes = size_ - at < kRoom ? size_ - at : kRoom;
    in_bytes_ = 0;
    if (!session_->file.Read(at, work.in, bytes)) return nullptr;
    in_at_ = at;
    in_bytes_ = bytes;
  }
  return work.in + (at - in_at_);
}

// `block.payload` is null where nobody wants it: names are written anew.
bool Copier::ReadBlock(uint64_t at, bool ahead, Found* block, uint64_t* next) {
  const uint8_t* header = Bytes(at, sizeof(BlockHeader), ahead);
  if (header == nullptr) return false;
  std::memcpy(&block->header, header, sizeof(block->header));
  errno = EIO;  // unless the file says otherwise
  if (block->header.magic != format::kBlockMagic) return false;
  const uint64_t bytes = format::PaddedBytes(block->header.bytes);
  block->offset = at;
  at += sizeof(BlockHeader);
  if (bytes > size_ - at) return false;
  *next = at + bytes;
  block->payload = nullptr;
  if (block->header.kind == static_cast<uint16_t>(BlockKind::kNames) ||
      bytes > kMaxBlock)
    return true;
  block->payload = Bytes(at, bytes, ahead);
  return block->payload != nullptr;
}

// False: `visit` said so, or the file cannot be read.
template <typename Visit>
bool Copier::ForEachBlock(uint64_t from, Visit visit) {
  in_bytes_ = 0;  // a visit may have changed it
  while (from + sizeof(BlockHeader) <= size_) {
    Found block;
    if (!ReadBlock(from, /*ahead=*/true, &block, &from)) return false;
    if (block.payload != nullptr && !visit(block)) return false;
  }
  return true;
}

bool Copier::Unpack(const Found& block, EventsHeader* header) {
  const uint64_t bytes = block.header.bytes;
  if (bytes < sizeof(*header)) return false;
  std::memcpy(header, block.payload, sizeof(*header));
  if (header->first_slot > kSlotsPerChunk ||
      header->slots > kSlotsPerChunk - header->first_slot)
    return false;
  std::memset(work.slots, 0, header->slots * sizeof(Slot));
  return format::DecodeSlots(
      block.payload + sizeof(*header), bytes - sizeof(*header), *header,
      block.header.version, SlotSink{work.slots, header->first_slot});
}

// Looks at what was written since the last window.
bool Copier::Survey() {
  if (!ForEachBlock(index_.surveyed, [this](const Found& block) {
        switch (static_cast<BlockKind>(block.header.kind)) {
          case BlockKind::kEvents:
            SurveyEvents(block);
            break;
          case BlockKind::kDevice: {
            if (block.header.bytes < sizeof(format::DeviceHeader)) break;
            const uint8_t* records =
                block.payload + sizeof(format::DeviceHeader);
            const uint64_t n =
                block.header.bytes - sizeof(format::DeviceHeader);
            index_.has_devices = true;
            if (HasCounts(records, n)) index_.counts_at = block.offset;
            if (HasTimeless(records, n)) index_.Pin(block.offset);
            break;
          }
          case BlockKind::kClock:
          case BlockKind::kUsage:
          case BlockKind::kThreads:
            break;
          default:
            index_.Pin(block.offset);
        }
        return true;
      }))
    return false;
  index_.surveyed = size_;
  return true;
}

void Copier::SurveyEvents(const Found& block) {
  EventsHeader header;
  if (!Unpack(block, &header)) {
    index_.Pin(block.offset);
    return;
  }
  CollectLateEnds(work.slots, header.slots, &index_.ends, block.offset);
  CollectOpenEvents(work.slots, header.slots,
                    format::SlotPosition(header.chunk, header.first_slot),
                    block.offset, &index_.ends);
}

// What must be known of device records before the first is copied.
bool Copier::SurveyDevices(uint64_t from) {
  return !index_.has_devices || ForEachBlock(from, [this](const Found& block) {
    constexpr uint64_t kHead = sizeof(format::DeviceHeader);
    if (block.header.kind != static_cast<uint16_t>(BlockKind::kDevice) ||
        block.header.bytes < kHead)
      return true;
    const uint64_t first = FirstKeptCall(
        block.payload + kHead, block.header.bytes - kHead, ticks_.from);
    if (first < devices_.first_call) devices_.first_call = first;
    return true;
  });
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

bool Copier::CopyEvents(const Found& block) {
  EventsHeader header;
  if (!Unpack(block, &header))  // for the reader to judge
    return Put(BlockKind::kEvents, block.payload, block.header.bytes);
  KeepWindowSlots(work.slots, header.slots,
                  format::SlotPosition(header.chunk, header.first_slot), ticks_,
                  index_.ends);
  return PutRun(header);
}

bool Copier::CopyDevice(const Found& block) {
  if (block.header.bytes < sizeof(format::DeviceHeader)) return true;
  format::DeviceHeader header;
  std::memcpy(&header, block.payload, sizeof(header));
  devices_.keep_counts = block.offset == index_.counts_at;
  const size_t kept = KeepWindowRecords(block.payload + sizeof(header),
                                        block.header.bytes - sizeof(header),
                                        devices_, &header.records);
  if (kept == 0) return true;
  std::memcpy(block.payload, &header, sizeof(header));
  return Put(BlockKind::kDevice, block.payload, sizeof(header) + kept);
}

// Of the anchors before the window the last one stays.
bool Copier::CopyAnchor(const Found& block) {
  ClockPayload clock;
  std::memcpy(&clock, block.payload, sizeof(clock));
  if (clock.anchor.tick <= ticks_.from) {
    anchor_before_ = clock;
    has_anchor_before_ = true;
    return true;
  }
  return PutAnchorBefore() &&
         Put(BlockKind::kClock, block.payload, block.header.bytes);
}

bool Copier::PutAnchorBefore() {
  if (!has_anchor_before_) return true;
  has_anchor_before_ = false;
  return Put(BlockKind::kClock, &anchor_before_, sizeof(anchor_before_));
}

bool Copier::Copy(const Found& block) {
  const auto kind = static_cast<BlockKind>(block.header.kind);
  switch (kind) {
    case BlockKind::kEvents:
      return CopyEvents(block);
    case BlockKind::kDevice:
      return CopyDevice(block);
    case BlockKind::kClock:
      return CopyAnchor(block);
    case BlockKind::kUsage: {
      format::UsageSample sample;
      std::memcpy(&sample, block.payload, sizeof(sample));
      if (sample.tick < ticks_.from) return true;
      break;
    }
    case BlockKind::kThreads: {
      ThreadEntry entry;
      std::memcpy(&entry, block.payload, sizeof(entry));
      if (entry.exit_tick != 0 && entry.exit_tick < ticks_.from) return true;
      break;
    }
    default:
      break;
  }
  return Put(kind, block.payload, block.header.bytes);
}

// True if the ring holds that event, and the file does not.
bool RingHolds(uint32_t position, uint64_t begin, uint32_t generation) {
  const uint32_t chunk = position / format::SlotPosition(1, 0);
  const uint32_t slot = position % format::SlotPosition(1, 0);
  if (chunk >= core.ring.sizes().chunks || slot >= kSlotsPerChunk) return false;
  return IsHeld(chunk, generation) &&
         __atomic_load_n(&core.ring.slots(chunk)[slot].begin,
                         __ATOMIC_ACQUIRE) == begin;
}

// An end that came to the file before its event, which may lie in the ring for
// long, stays until both are there. Not where both are copied now.
void Copier::FindEndsThatStay(bool held) {
  const uint32_t generation = session_->generation.load();
  index_.ends.ForEach([&](LateEnds::Entry& entry) {
    entry.stays = !held && !entry.has_begin &&
                  RingHolds(entry.position, entry.begin, generation);
  });
}

bool Copier::CopyFile() {
  const WindowMark* start = index_.StartOf(ticks_.from);
  const uint64_t from =
      start != nullptr ? start->bytes : sizeof(format::FileHeader);
  if (!SurveyDevices(from)) return false;
  if (start != nullptr) {
    anchor_before_ = {{static_cast<uint32_t>(ClockKindInUse()), 1, NominalHz()},
                      start->anchor};
    has_anchor_before_ = true;
    const uint32_t needed = index_.NeededBefore(from, ticks_.from, work.needed);
    for (uint32_t i = 0; i < needed; ++i) {
      Found block;
      uint64_t next = 0;
      in_bytes_ = 0;
      if (!ReadBlock(work.needed[i], /*ahead=*/false, &block, &next) ||
          (block.payload != nullptr && !Copy(block)))
        return false;
    }
  }
  return ForEachBlock(from,
                      [this](const Found& block) { return Copy(block); }) &&
         PutAnchorBefore();
}

bool Copier::Run(bool held) {
  work.held.Clear();
  index_.ends.set_others(held ? &work.held : nullptr);
  bool good = Survey();
  // Before anything is copied: an end in the ring may be that of a slot in the
  // file, and both go or stay.
  if (good && held)
    ForEachHeldChunk([](uint32_t, const ChunkHeader&) {
      CollectLateEnds(work.chunk, kSlotsPerChunk, &work.held);
      return true;
    });
  FindEndsThatStay(held);
  good = good && CopyFile() && (!held || CopyHeld()) && CopyNames();
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
                    index_.ends);
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
  const uint32_t count = core.ring.sizes().chunks;
  for (uint32_t i = 0; i < count; ++i) {
    if (!IsHeld(i, generation)) continue;
    ChunkHeader header;
    std::memcpy(&header, core.ring.chunk(i), sizeof(header));
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
