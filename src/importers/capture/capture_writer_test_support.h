// SPDX-License-Identifier: Apache-2.0
//
// Writes captures and live files from plain values, for tests and generators:
// the reader is tested against what the format says, not against what the
// recorder happens to do. Files are built in memory.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "format/block.h"
#include "format/live_file.h"
#include "format/slot.h"

namespace stepscope::capture {

// Slots of a chunk, one call each.
class SlotList {
 public:
  // Ended `ticks` after `begin`. Returns the slot's index.
  uint32_t Event(uint64_t begin, uint64_t ticks, uint32_t site);
  uint32_t Open(uint64_t begin, uint32_t site);
  // Ends the open event in that slot.
  void SetEnd(uint32_t slot, uint64_t tick);
  uint32_t Instant(uint64_t tick, uint32_t site);
  void Gap(uint32_t slots);
  void Owner(uint64_t tick, uint32_t uid, uint32_t seq);
  void LateEnd(uint64_t tick, uint32_t position, uint64_t begin);
  void IntArg(uint32_t position, uint64_t begin, uint32_t key, int64_t value);
  void DoubleArg(uint32_t position, uint64_t begin, uint32_t key, double value);
  void TextArg(uint32_t position, uint64_t begin, uint32_t key,
               std::string_view text, bool clipped = false);
  void ListArg(uint32_t position, uint64_t begin, uint32_t key,
               const std::vector<int64_t>& values);
  void Counter(uint64_t tick, uint32_t site, int64_t value);
  void Counter(uint64_t tick, uint32_t site, double value);
  void Memory(uint64_t tick, const format::MemoryPayload& payload);
  void Flow(uint64_t tick, uint64_t id, uint32_t site, uint32_t phase);
  // Any side record; `aux_plus_1` 0 is one that a kill cut short.
  void Side(format::SideKind kind, uint64_t tick, uint32_t aux_plus_1,
            const std::string& payload);

  std::span<const format::Slot> slots() const { return slots_; }
  uint32_t size() const { return static_cast<uint32_t>(slots_.size()); }

 private:
  void Arg(uint32_t position, uint64_t begin, uint32_t key, uint32_t aux,
           std::string_view value);
  std::vector<format::Slot> slots_;
};

struct NameSpec {
  uint32_t id;
  uint32_t type;
  std::string name;
  uint32_t full_length = 0;  // 0: as long as the name
};
std::string NameRecords(const std::vector<NameSpec>& names);

format::ThreadEntry MakeThread(uint32_t uid, uint32_t tid,
                               const std::string& name,
                               uint32_t generation = 1);
format::Anchor MakeAnchor(uint64_t tick, int64_t ns);

class CaptureWriter {
 public:
  // Writes the file header. `ring` fills ring_id.
  explicit CaptureWriter(uint8_t ring = 1, uint32_t generation = 1);

  void Process(const std::vector<std::pair<std::string, std::string>>& pairs);
  void Clock(format::ClockKind kind, uint64_t nominal_hz,
             const std::vector<format::Anchor>& anchors);
  void Names(const std::vector<NameSpec>& names);
  void Thread(const format::ThreadEntry& entry);
  void Events(uint32_t uid, uint32_t seq, uint32_t chunk, uint64_t incarnation,
              uint32_t first_slot, std::span<const format::Slot> slots);
  void Usage(const std::vector<format::UsageSample>& samples);
  void End(uint64_t stop_tick, uint64_t names_refused = 0);
  void Block(uint16_t kind, uint16_t version, const std::string& payload);

  const std::string& bytes() const { return bytes_; }
  // Offsets of the block headers.
  const std::vector<size_t>& blocks() const { return blocks_; }

 private:
  std::string bytes_;
  std::vector<size_t> blocks_;
};

// Makes the CRCs of the block at `offset` (0: of the file header) right, so
// that a changed byte is found by nothing but the decoder.
void FixCrc(std::string& bytes, size_t offset);

struct ChunkSpec {
  format::ChunkState state = format::ChunkState::kActive;
  uint32_t thread_uid = 0;
  uint32_t seq = 0;
  uint64_t incarnation = 0;
  uint32_t generation = 1;
  std::vector<format::Slot> slots;
};

// A live file with these chunks at positions 0, 1, ... `threads[0]` counts what
// no thread's entry can.
std::string MakeLive(uint8_t ring, uint64_t heartbeat,
                     const std::vector<format::ThreadEntry>& threads,
                     const std::vector<NameSpec>& names,
                     const std::vector<ChunkSpec>& chunks);

}  // namespace stepscope::capture
