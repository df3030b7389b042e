// SPDX-License-Identifier: Apache-2.0
#include "collector/drain.h"

#include <cstring>

#include "collector/sync.h"
#include "collector/writer.h"

namespace stepscope::collector {
namespace {

using format::BlockHeader;
using format::BlockKind;
using format::ChunkHeader;
using format::EventsHeader;
using format::kSlotsPerChunk;
using format::Slot;
using format::ThreadEntry;

uint64_t FirstBegin(const Slot* slots, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    const uint64_t begin = __atomic_load_n(&slots[i].begin, __ATOMIC_RELAXED);
    if (begin != 0) return begin;
  }
  return 0;
}

}  // namespace

Drain* Drain::Get() {
  static constinit Drain drain{};  // bss: pages appear as they are used
  return &drain;
}

uint32_t Drain::DrainFull() {
  uint32_t count = 0;
  for (uint32_t chunk = core.ring.TakeFull(); chunk != Ring::kNone;
       chunk = core.ring.NextFull(chunk))
    full_[count++] = chunk;
  // Oldest first, so that a thread's runs are written in order.
  for (uint32_t i = count; i-- > 0;) {
    const uint32_t chunk = full_[i];
    Session* session = SessionOf(core.ring.chunk(chunk)->generation);
    if (core.ring.InFile(chunk) || session == nullptr)
      core.ring.Recycle(chunk);
    else
      AddChunk(session, chunk);
  }
  Flush();
  return count;
}

void Drain::DrainSession(Session* session) {
  const uint32_t generation = session->generation.load();
  const uint32_t count = core.ring.sizes().chunks;
  for (uint32_t i = 0; i < count; ++i)
    if (core.ring.IsReady(i) && core.ring.Seize(i, generation))
      AddChunk(session, i);
  Flush();
  // A thread that moves on to the next session hands its chunk over in two
  // steps; one that lost its core in between is waited for, within reason.
  for (int tries = 0; tries < 10000; ++tries) {
    DrainFull();
    bool pending = false;
    for (uint32_t i = 0; i < count && !pending; ++i)
      pending = core.ring.IsReady(i) && core.ring.IsPending(i, generation);
    if (!pending) return;
    Pause(100000);
  }
}

void Drain::Use(Session* session) {
  if (session_ != session) Flush();
  session_ = session;
}

void Drain::AddChunk(Session* session, uint32_t chunk) {
  Use(session);
  const ChunkHeader* header = core.ring.chunk(chunk);
  Run run{header->thread_uid, header->seq, header->entry, 0, kSlotsPerChunk};
  // Only a chunk that was parked can hold slots of several threads.
  if (header->used != 0) {
    const Slot* slots = core.ring.slots(chunk);
    for (uint32_t i = 0; i < kSlotsPerChunk; ++i) {
      const uint64_t begin = __atomic_load_n(&slots[i].begin, __ATOMIC_RELAXED);
      const uint32_t site = __atomic_load_n(&slots[i].site, __ATOMIC_RELAXED);
      if (begin == 0 || !format::IsSide(site)) continue;
      const uint32_t payload = format::SidePayloadSlots(site);
      if (format::SideKindOf(site) == format::SideKind::kOwner &&
          payload == 1 && i + 1 < kSlotsPerChunk) {
        format::OwnerPayload owner;
        std::memcpy(&owner, &slots[i + 1], sizeof(owner));
        run.count = i - run.first;
        AddRun(session, chunk, run);
        run = {owner.thread_uid, owner.seq, owner.entry, i + 2,
               kSlotsPerChunk - i - 2};
      }
      i += payload;
    }
  }
  AddRun(session, chunk, run);
  chunks_[chunk_count_++] = chunk;
  if (bytes_ >= kBatchBytes || chunk_count_ == kMaxBatch) Flush();
}

void Drain::AddRun(Session* session, uint32_t chunk, const Run& run) {
  if (run.count == 0) return;
  // Many short threads in one chunk: each run gets a block, so mind the room.
  if (run_count_ == kMaxBatch * 4 ||
      kRoom - bytes_ < format::MaxPackedBytes(run.count) + 256)
    Flush();
  session_ = session;
  const Slot* slots = core.ring.slots(chunk) + run.first;
  uint8_t* block = buffer_ + bytes_;
  uint8_t* payload = block + sizeof(BlockHeader);
  const uint64_t base = FirstBegin(slots, run.count);
  const format::PackedCounts packed = format::EncodeSlots(
      slots, run.count, base, payload + sizeof(EventsHeader));
  if (packed.events == 0 && packed.side_records == 0) return;
  EventsHeader header{};
  header.thread_uid = run.uid;
  header.seq = run.seq;
  header.incarnation = core.ring.chunk(chunk)->incarnation;
  header.chunk = chunk;
  header.first_slot = run.first;
  header.slots = run.count;
  header.events = packed.events;
  header.side_records = packed.side_records;
  header.controls = packed.controls;
  header.base_tick = base;
  std::memcpy(payload, &header, sizeof(header));
  bytes_ += session->file.Seal(block, sizeof(header) + packed.bytes,
                               BlockKind::kEvents);
  ++blocks_;
  runs_[run_count_++] = {run.entry, run.uid, packed.events,
                         packed.side_records};
}

AppendResult Drain::AppendThread(Session* session, const ThreadEntry& entry) {
  Use(session);
  AppendResult result = AppendResult::kOk;
  if (kRoom - bytes_ < 4096) result = Flush();
  session_ = session;
  std::memcpy(buffer_ + bytes_ + sizeof(BlockHeader), &entry, sizeof(entry));
  bytes_ +=
      session->file.Seal(buffer_ + bytes_, sizeof(entry), BlockKind::kThreads);
  ++blocks_;
  essential_ = true;
  return result;
}

AppendResult Drain::AppendCopy(Session* session, BlockKind kind,
                               const uint8_t* bytes, uint64_t count) {
  Use(session);
  while (count > 0) {
    const AppendResult before = Flush();
    if (before != AppendResult::kOk) return before;
    session_ = session;
    // Whole records: each states its length.
    uint64_t piece = 0;
    while (piece < count) {
      format::NameRecord record;
      std::memcpy(&record, bytes + piece, sizeof(record));
      const uint64_t next = format::NameRecordBytes(record.length);
      if (piece > 0 && piece + next > kBatchBytes) break;
      piece += next;
    }
    std::memcpy(buffer_ + sizeof(BlockHeader), bytes, piece);
    bytes_ = session->file.Seal(buffer_, piece, kind);
    blocks_ = 1;
    essential_ = true;
    bytes += piece;
    count -= piece;
    const AppendResult result = Flush();
    if (result != AppendResult::kOk) return result;
  }
  return AppendResult::kOk;
}

void Drain::CountLost(AppendResult why) {
  for (uint32_t i = 0; i < run_count_; ++i) {
    const Gathered& run = runs_[i];
    ThreadEntry* entry = core.ring.entry(run.entry);
    // The thread may be long gone, and its entry written, free or another's.
    if (entry->uid != run.uid ||
        __atomic_load_n(&entry->state, __ATOMIC_ACQUIRE) ==
            static_cast<uint32_t>(format::ThreadState::kFree))
      entry = core.ring.entry(0);
    uint64_t* lost = why == AppendResult::kFileLimit ? &entry->lost_file_limit
                                                     : &entry->lost_io;
    __atomic_store_n(lost, *lost + run.events, __ATOMIC_RELAXED);
    __atomic_store_n(&entry->lost_side, entry->lost_side + run.side,
                     __ATOMIC_RELAXED);
  }
  // What is counted as lost is not read from the ring as well, however long a
  // thread stays in its chunk.
  for (uint32_t i = 0; i < chunk_count_; ++i)
    __atomic_store_n(&core.ring.chunk(chunks_[i])->generation, 0,
                     __ATOMIC_RELAXED);
}

AppendResult Drain::Flush() {
  ServeJob();
  AppendResult result = AppendResult::kOk;
  if (bytes_ > 0) {
    result = session_->file.Append(buffer_, bytes_, blocks_, essential_);
    if (result != AppendResult::kOk) CountLost(result);
  }
  for (uint32_t i = 0; i < chunk_count_; ++i) core.ring.Recycle(chunks_[i]);
  Clear();
  return result;
}

void Drain::Clear() {
  bytes_ = 0;
  blocks_ = 0;
  essential_ = false;
  chunk_count_ = 0;
  run_count_ = 0;
  session_ = nullptr;
}

void Drain::ResetAfterFork() { Clear(); }

}  // namespace stepscope::collector
