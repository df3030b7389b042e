// SPDX-License-Identifier: Apache-2.0
#include "importers/capture/live_reader.h"

#include <algorithm>
#include <cstring>

namespace stepscope::capture {
namespace {

using format::ChunkHeader;
using format::ChunkState;
using format::LiveHeader;
using format::Slot;

// A T at `offset`; false where the file has none.
template <typename T>
bool ReadStruct(const File& file, uint64_t offset, T* value) {
  const Result<size_t> got =
      file.ReadAt(offset, {reinterpret_cast<uint8_t*>(value), sizeof(T)});
  return got && *got == sizeof(T);
}

// Up to `bytes` bytes at `offset`, as far as the file goes.
std::vector<uint8_t> ReadRange(const File& file, uint64_t offset,
                               uint64_t bytes, uint64_t file_size) {
  std::vector<uint8_t> data;
  if (offset >= file_size) return data;
  data.resize(static_cast<size_t>(std::min(bytes, file_size - offset)));
  const Result<size_t> got = file.ReadAt(offset, data);
  data.resize(got ? *got : 0);
  return data;
}

// Entry 0 is not a thread: it counts what no thread's entry can, for the
// session that began last. What is in the capture already was taken away here.
// Older recorders name no session.
void AddUnattached(const format::ThreadEntry& entry, uint32_t generation,
                   Metadata& tables) {
  if (entry.generation != 0 && entry.generation != generation) return;
  format::ThreadEntry& all = tables.threads[0];
  for (int reason = 0; reason < STEPSCOPE_DROP_REASONS; ++reason)
    all.dropped[reason] += entry.dropped[reason];
  all.side_dropped += entry.side_dropped;
  all.lost_io += entry.lost_io;
  all.lost_file_limit += entry.lost_file_limit;
  all.lost_side += entry.lost_side;
}

void AddThreads(const File& file, const LiveHeader& header, uint32_t generation,
                uint64_t file_size, Metadata& tables) {
  const std::vector<uint8_t> table = ReadRange(
      file, header.threads_offset,
      uint64_t{header.thread_capacity} * format::kThreadEntryBytes, file_size);
  for (size_t at = 0; at + format::kThreadEntryBytes <= table.size();
       at += format::kThreadEntryBytes) {
    format::ThreadEntry entry;
    std::memcpy(&entry, table.data() + at, sizeof(entry));
    if (at == 0)
      AddUnattached(entry, generation, tables);
    else if (entry.generation == generation &&
             entry.state != static_cast<uint32_t>(format::ThreadState::kFree))
      tables.threads[entry.uid] = entry;
  }
}

bool IsRecorded(const ChunkHeader& header, uint32_t generation) {
  if (header.generation != generation) return false;
  switch (static_cast<ChunkState>(header.state)) {
    case ChunkState::kActive:
    case ChunkState::kFull:
    case ChunkState::kParked:
    case ChunkState::kWritten:
      return true;
    case ChunkState::kFree:
      return false;
  }
  return false;
}

// How many of the `count` slots at `slots` were taken. A slot of zeros was not,
// unless it is the payload of a side record: an argument may be 0.
size_t CountUsed(const Slot* slots, size_t count) {
  size_t used = count;
  while (used > 0 && slots[used - 1].begin == 0 && slots[used - 1].dur == 0 &&
         slots[used - 1].site == 0)
    --used;
  for (size_t i = 0; i < used; ++i) {
    if (slots[i].begin == 0 || !format::IsSide(slots[i].site)) continue;
    i += format::SidePayloadSlots(slots[i].site);
    used = std::max(used, std::min(i + 1, count));
  }
  return used;
}

void AddChunks(const File& file, const LiveHeader& header, uint32_t generation,
               uint64_t file_size, LiveData& live) {
  if (header.chunk_bytes != format::kChunkBytes ||
      header.chunks_offset >= file_size)
    return;
  const uint64_t room =
      (file_size - header.chunks_offset) / format::kChunkBytes;
  const uint64_t count = std::min<uint64_t>(header.chunk_count, room);
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t at = header.chunks_offset + i * format::kChunkBytes;
    LiveChunk chunk;
    chunk.index = static_cast<uint32_t>(i);
    if (!ReadStruct(file, at, &chunk.header) ||
        !IsRecorded(chunk.header, generation))
      continue;
    chunk.slots.resize(format::kSlotsPerChunk);
    const Result<size_t> got =
        file.ReadAt(at + format::kChunkHeaderBytes,
                    {reinterpret_cast<uint8_t*>(chunk.slots.data()),
                     chunk.slots.size() * sizeof(Slot)});
    chunk.slots.resize(
        CountUsed(chunk.slots.data(), got ? *got / sizeof(Slot) : 0));
    if (!chunk.slots.empty()) live.chunks.push_back(std::move(chunk));
  }
}

}  // namespace

LiveData ReadLive(const File& file, const format::FileHeader& capture,
                  Metadata& tables) {
  LiveData live;
  LiveHeader header;
  const Result<uint64_t> size = file.Size();
  if (!size || !ReadStruct(file, 0, &header)) return live;
  live.heartbeat = header.heartbeat;
  live.names_refused = header.names_refused;
  AddThreads(file, header, capture.generation, *size, tables);
  AddChunks(file, header, capture.generation, *size, live);
  // Last: in a process that still runs, every site of a copied chunk was named
  // before.
  if (ReadStruct(file, 0, &header)) {
    const std::vector<uint8_t> names =
        ReadRange(file, header.names_offset,
                  std::min(header.names_used, header.names_bytes), *size);
    // Cut short is as good as ended here.
    static_cast<void>(tables.AddNames(names));
  }
  return live;
}

std::vector<LiveRun> SplitRuns(const LiveChunk& chunk) {
  std::vector<LiveRun> runs;
  LiveRun run;
  run.thread_uid = chunk.header.thread_uid;
  run.seq = chunk.header.seq;
  const auto count = static_cast<uint32_t>(chunk.slots.size());
  const auto close = [&](uint32_t at) {
    run.slots = at - run.first_slot;
    for (uint32_t i = run.first_slot; i < at && run.first_tick == 0; ++i)
      run.first_tick = chunk.slots[i].begin;
    if (run.first_tick != 0) runs.push_back(run);
  };
  for (uint32_t i = 0; i < count; ++i) {
    const Slot& slot = chunk.slots[i];
    if (slot.begin == 0 || !format::IsSide(slot.site)) continue;
    const uint32_t payload =
        std::min(format::SidePayloadSlots(slot.site), count - i - 1);
    if (format::SideKindOf(slot.site) == format::SideKind::kOwner &&
        slot.dur != 0 && payload >= 1) {
      close(i);
      format::OwnerPayload owner;
      std::memcpy(&owner, &chunk.slots[i + 1], sizeof(owner));
      run = {owner.thread_uid, owner.seq, i + payload + 1, 0, 0};
    }
    i += payload;
  }
  close(count);
  return runs;
}

}  // namespace stepscope::capture
