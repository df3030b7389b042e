// SPDX-License-Identifier: Apache-2.0
//
// TilePart: what is asked for. TileRecord: a box of a timeline as it is sent,
// and a buffer of them.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>

#include "trace/line_depths.h"
#include "trace/trace.h"

namespace stepscope {

// Some depths of one track, drawn in a slot from `at` on.
struct TilePart {
  uint8_t slot = 0;
  uint32_t track = 0;
  uint32_t first_depth = 0;
  uint32_t depths = 0;  // at + depths is at most 256
  uint32_t at = 0;
  LineKind kind = LineKind::kNative;
};

// Little-endian. Documented in docs/formats/http.md.
struct TileRecord {
  uint16_t x;      // 1/64 bucket from the begin of the tile
  uint16_t w;      // the same; at least 1
  Row row;         // the event, or one of the longest of the mark
  uint16_t name;   // of the names of the answer; kNoName: not among them
  uint8_t depth;   // in the slot
  uint8_t kind;    // class in the low 5 bits, then TileFlag
  uint16_t count;  // events; 65535: or more
  uint8_t fill;    // busy share of a mark, 0..254; 255: one event
  uint8_t slot;    // which of the tracks that were asked for

  // Writes one, as two words: of a record that is copied, compilers make seven
  // stores. `line` is what Line() gave.
  static void Put(TileRecord* to, uint64_t x, uint64_t w, Row row,
                  uint64_t name, uint64_t kind, uint64_t count, uint64_t fill,
                  uint64_t line) {
    static_assert(std::endian::native == std::endian::little);
    const std::array<uint64_t, 2> words = {
        x | w << 16 | uint64_t{row} << 32,
        name | kind << 24 | count << 32 | fill << 48 | line};
    std::memcpy(to, words.data(), sizeof words);
  }
  static uint64_t Line(uint64_t slot, uint64_t depth) {
    return depth << 16 | slot << 56;
  }
};
static_assert(sizeof(TileRecord) == 16);

enum TileFlag : uint8_t {
  kTileBeginsBefore = 32,  // the event began in an earlier tile
  kTileEndsAfter = 64,     // and goes on in a later one
  kTileMixed = 128,        // a mark of which no name has half of the time
};
inline constexpr uint16_t kNoName = 65535;

// Grows without touching what was not written.
class TileRecordBuffer {
 public:
  size_t size() const { return size_; }
  std::span<const TileRecord> view() const { return {records_.get(), size_}; }
  void clear() { size_ = 0; }
  void push_back(const TileRecord& record) {
    Reserve(1);
    records_[size_++] = record;
  }
  void Append(std::span<const TileRecord> records) {
    Reserve(records.size());
    if (!records.empty())
      std::memcpy(records_.get() + size_, records.data(), records.size_bytes());
    size_ += records.size();
  }
  // Room for so many; where they are to be written. They count at once.
  TileRecord* Grow(size_t count) {
    Reserve(count);
    TileRecord* const first = records_.get() + size_;
    size_ += count;
    return first;
  }
  // REQUIRES: there is one.
  TileRecord* last() { return records_.get() + size_ - 1; }
  // Takes off what Grow() gave too much.
  void Shrink(size_t count) { size_ -= count; }

 private:
  void Reserve(size_t more) {
    if (more <= capacity_ - size_) return;
    const size_t capacity = std::max({size_ + more, capacity_ * 2, size_t{64}});
    auto grown = std::make_unique_for_overwrite<TileRecord[]>(capacity);
    if (size_ > 0)
      std::memcpy(grown.get(), records_.get(), size_ * sizeof(TileRecord));
    records_ = std::move(grown);
    capacity_ = capacity;
  }

  std::unique_ptr<TileRecord[]> records_;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

}  // namespace stepscope
