// SPDX-License-Identifier: Apache-2.0
#include "importers/capture/capture_writer_test_support.h"

#include <algorithm>
#include <cstring>

#include "format/crc32c.h"
#include "format/event_codec.h"

namespace stepscope::capture {
namespace {

using format::ArgKind;
using format::SideKind;
using format::Slot;

template <typename T>
std::string BytesOf(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof(T)};
}

template <typename T>
void Store(std::string& bytes, size_t offset, const T& value) {
  std::memcpy(bytes.data() + offset, &value, sizeof(T));
}

}  // namespace

uint32_t SlotList::Event(uint64_t begin, uint64_t ticks, uint32_t site) {
  slots_.push_back({begin, static_cast<uint32_t>(ticks) + 1, site});
  return size() - 1;
}

uint32_t SlotList::Open(uint64_t begin, uint32_t site) {
  slots_.push_back({begin, 0, site});
  return size() - 1;
}

void SlotList::SetEnd(uint32_t slot, uint64_t tick) {
  slots_[slot].dur = static_cast<uint32_t>(tick - slots_[slot].begin) + 1;
}

uint32_t SlotList::Instant(uint64_t tick, uint32_t site) {
  slots_.push_back({tick, STEPSCOPE_DUR_INSTANT, site});
  return size() - 1;
}

void SlotList::Gap(uint32_t slots) { slots_.resize(slots_.size() + slots); }

void SlotList::Side(SideKind kind, uint64_t tick, uint32_t aux_plus_1,
                    const std::string& payload) {
  const auto n =
      static_cast<uint32_t>((payload.size() + sizeof(Slot) - 1) / sizeof(Slot));
  slots_.push_back({tick, aux_plus_1, format::SideSite(kind, n)});
  const size_t at = slots_.size();
  slots_.resize(at + n);
  if (n > 0) std::memcpy(&slots_[at], payload.data(), payload.size());
}

void SlotList::Owner(uint64_t tick, uint32_t uid, uint32_t seq) {
  Side(SideKind::kOwner, tick, 1,
       BytesOf(format::OwnerPayload{uid, seq, uid, 0}));
}

void SlotList::LateEnd(uint64_t tick, uint32_t position, uint64_t begin) {
  Side(SideKind::kLateEnd, tick, 1,
       BytesOf(format::SlotRef{position, 0, begin}));
}

void SlotList::Arg(uint32_t position, uint64_t begin, uint32_t key,
                   uint32_t aux, std::string_view value) {
  Side(SideKind::kArg, begin + 1, aux + 1,
       BytesOf(format::SlotRef{position, key, begin}) + std::string(value));
}

void SlotList::IntArg(uint32_t position, uint64_t begin, uint32_t key,
                      int64_t value) {
  Arg(position, begin, key, static_cast<uint32_t>(ArgKind::kI64) | (1u << 8),
      BytesOf(value));
}

void SlotList::DoubleArg(uint32_t position, uint64_t begin, uint32_t key,
                         double value) {
  Arg(position, begin, key, static_cast<uint32_t>(ArgKind::kF64) | (1u << 8),
      BytesOf(value));
}

void SlotList::TextArg(uint32_t position, uint64_t begin, uint32_t key,
                       std::string_view text, bool clipped) {
  Arg(position, begin, key,
      static_cast<uint32_t>(ArgKind::kText) |
          (clipped ? format::kArgClipped : 0u) |
          (static_cast<uint32_t>(text.size()) << 8),
      text);
}

void SlotList::ListArg(uint32_t position, uint64_t begin, uint32_t key,
                       const std::vector<int64_t>& values) {
  Arg(position, begin, key,
      static_cast<uint32_t>(ArgKind::kI64List) |
          (static_cast<uint32_t>(values.size()) << 8),
      {reinterpret_cast<const char*>(values.data()), values.size() * 8});
}

void SlotList::Counter(uint64_t tick, uint32_t site, int64_t value) {
  Side(
      SideKind::kCounter, tick, 1,
      BytesOf(format::CounterPayload{site, static_cast<uint32_t>(ArgKind::kI64),
                                     static_cast<uint64_t>(value)}));
}

void SlotList::Counter(uint64_t tick, uint32_t site, double value) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  Side(SideKind::kCounter, tick, 1,
       BytesOf(format::CounterPayload{
           site, static_cast<uint32_t>(ArgKind::kF64), bits}));
}

void SlotList::Memory(uint64_t tick, const format::MemoryPayload& payload) {
  Side(SideKind::kMemory, tick, 1, BytesOf(payload));
}

void SlotList::Flow(uint64_t tick, uint64_t id, uint32_t site, uint32_t phase) {
  Side(SideKind::kFlow, tick, 1, BytesOf(format::FlowPayload{id, site, phase}));
}

std::string NameRecords(const std::vector<NameSpec>& names) {
  std::string bytes;
  for (const NameSpec& spec : names) {
    const auto length = static_cast<uint32_t>(spec.name.size());
    bytes += BytesOf(
        format::NameRecord{spec.id, spec.type, length,
                           spec.full_length == 0 ? length : spec.full_length});
    bytes += spec.name;
    bytes.resize((bytes.size() + 7) & ~size_t{7});
  }
  return bytes;
}

format::ThreadEntry MakeThread(uint32_t uid, uint32_t tid,
                               const std::string& name, uint32_t generation) {
  format::ThreadEntry entry = {};
  entry.state = static_cast<uint32_t>(format::ThreadState::kLive);
  entry.uid = uid;
  entry.tid = tid;
  entry.generation = generation;
  name.copy(entry.name, sizeof(entry.name) - 1);
  return entry;
}

format::Anchor MakeAnchor(uint64_t tick, int64_t ns) {
  constexpr int64_t kRealtime = 1'700'000'000'000'000'000;
  return {tick, ns, kRealtime + ns, ns, 40};
}

CaptureWriter::CaptureWriter(uint8_t ring, uint32_t generation) {
  format::FileHeader header = {};
  std::memcpy(header.magic, format::kFileMagic, sizeof(header.magic));
  header.version = format::kFileVersion;
  header.header_bytes = sizeof(header);
  std::memset(header.session_id, 7, sizeof(header.session_id));
  std::memset(header.ring_id, ring, sizeof(header.ring_id));
  header.generation = generation;
  bytes_ = BytesOf(header);
  FixCrc(bytes_, 0);
}

void CaptureWriter::Block(uint16_t kind, uint16_t version,
                          const std::string& payload) {
  format::BlockHeader header = {};
  header.magic = format::kBlockMagic;
  header.kind = kind;
  header.version = version;
  header.bytes = payload.size();
  header.seq = static_cast<uint32_t>(blocks_.size());
  blocks_.push_back(bytes_.size());
  bytes_ += BytesOf(header) + payload;
  bytes_.resize((bytes_.size() + 7) & ~size_t{7});
  FixCrc(bytes_, blocks_.back());
}

void CaptureWriter::Process(
    const std::vector<std::pair<std::string, std::string>>& pairs) {
  std::string payload;
  for (const auto& [key, value] : pairs)
    payload += BytesOf(static_cast<uint32_t>(key.size())) +
               BytesOf(static_cast<uint32_t>(value.size())) + key + value;
  Block(static_cast<uint16_t>(format::BlockKind::kProcess), 1, payload);
}

void CaptureWriter::Clock(format::ClockKind kind, uint64_t nominal_hz,
                          const std::vector<format::Anchor>& anchors) {
  std::string payload = BytesOf(
      format::ClockHeader{static_cast<uint32_t>(kind),
                          static_cast<uint32_t>(anchors.size()), nominal_hz});
  for (const format::Anchor& anchor : anchors) payload += BytesOf(anchor);
  Block(static_cast<uint16_t>(format::BlockKind::kClock), 1, payload);
}

void CaptureWriter::Names(const std::vector<NameSpec>& names) {
  Block(static_cast<uint16_t>(format::BlockKind::kNames), 1,
        NameRecords(names));
}

void CaptureWriter::Thread(const format::ThreadEntry& entry) {
  Block(static_cast<uint16_t>(format::BlockKind::kThreads), 1, BytesOf(entry));
}

void CaptureWriter::Events(uint32_t uid, uint32_t seq, uint32_t chunk,
                           uint64_t incarnation, uint32_t first_slot,
                           std::span<const Slot> slots) {
  format::EventsHeader header = {};
  header.thread_uid = uid;
  header.seq = seq;
  header.incarnation = incarnation;
  header.chunk = chunk;
  header.first_slot = first_slot;
  header.slots = static_cast<uint32_t>(slots.size());
  for (const Slot& slot : slots) {
    if (header.base_tick == 0) header.base_tick = slot.begin;
  }
  std::string packed(format::MaxPackedBytes(slots.size()), '\0');
  const format::PackedCounts counts =
      format::EncodeSlots(slots.data(), header.slots, header.base_tick,
                          reinterpret_cast<uint8_t*>(packed.data()));
  packed.resize(counts.bytes);
  header.events = counts.events;
  header.side_records = counts.side_records;
  header.controls = counts.controls;
  Block(static_cast<uint16_t>(format::BlockKind::kEvents),
        format::VersionOf(format::BlockKind::kEvents),
        BytesOf(header) + packed);
}

void CaptureWriter::Usage(const std::vector<format::UsageSample>& samples) {
  std::string payload;
  for (const format::UsageSample& sample : samples) payload += BytesOf(sample);
  Block(static_cast<uint16_t>(format::BlockKind::kUsage), 1, payload);
}

void CaptureWriter::End(uint64_t stop_tick, uint64_t names_refused) {
  Block(static_cast<uint16_t>(format::BlockKind::kEnd), 1,
        BytesOf(format::EndRecord{stop_tick, names_refused, {}}));
}

void FixCrc(std::string& bytes, size_t offset) {
  if (offset == 0) {
    Store(bytes, offsetof(format::FileHeader, crc),
          format::Crc32c(bytes.data(), offsetof(format::FileHeader, crc)));
    return;
  }
  format::BlockHeader header;
  std::memcpy(&header, bytes.data() + offset, sizeof(header));
  const size_t payload = offset + sizeof(header);
  const auto room = static_cast<uint64_t>(bytes.size() - payload);
  header.payload_crc = format::Crc32c(
      bytes.data() + payload,
      static_cast<size_t>(std::min<uint64_t>(header.bytes, room)));
  Store(bytes, offset, header);
  header.header_crc = format::Crc32c(bytes.data() + offset,
                                     offsetof(format::BlockHeader, header_crc));
  Store(bytes, offset, header);
}

std::string MakeLive(uint8_t ring, uint64_t heartbeat,
                     const std::vector<format::ThreadEntry>& threads,
                     const std::vector<NameSpec>& names,
                     const std::vector<ChunkSpec>& chunks) {
  const std::string records = NameRecords(names);
  format::LiveHeader header = {};
  std::memcpy(header.magic, format::kLiveMagic, sizeof(header.magic));
  header.version = format::kLiveVersion;
  header.header_bytes = format::kLiveHeaderBytes;
  std::memset(header.ring_id, ring, sizeof(header.ring_id));
  header.chunk_bytes = format::kChunkBytes;
  header.chunk_count = static_cast<uint32_t>(chunks.size());
  header.thread_capacity = static_cast<uint32_t>(threads.size());
  header.threads_offset = format::kLiveHeaderBytes;
  header.names_offset =
      header.threads_offset + threads.size() * format::kThreadEntryBytes;
  header.names_bytes = records.size() + 64;
  header.names_used = records.size();
  header.chunks_offset = header.names_offset + header.names_bytes;
  header.heartbeat = heartbeat;
  std::string bytes(header.chunks_offset + chunks.size() * format::kChunkBytes,
                    '\0');
  Store(bytes, 0, header);
  for (size_t i = 0; i < threads.size(); ++i)
    Store(bytes, header.threads_offset + i * format::kThreadEntryBytes,
          threads[i]);
  bytes.replace(header.names_offset, records.size(), records);
  for (size_t i = 0; i < chunks.size(); ++i) {
    const ChunkSpec& spec = chunks[i];
    format::ChunkHeader chunk = {};
    chunk.state = static_cast<uint32_t>(spec.state);
    chunk.thread_uid = spec.thread_uid;
    chunk.incarnation = spec.incarnation;
    chunk.seq = spec.seq;
    chunk.generation = spec.generation;
    const size_t at = header.chunks_offset + i * format::kChunkBytes;
    Store(bytes, at, chunk);
    for (size_t slot = 0; slot < spec.slots.size(); ++slot)
      Store(bytes, at + format::kChunkHeaderBytes + slot * sizeof(Slot),
            spec.slots[slot]);
  }
  return bytes;
}

}  // namespace stepscope::capture
