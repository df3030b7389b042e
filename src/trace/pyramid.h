// SPDX-License-Identifier: Apache-2.0
//
// Pyramid: a trace at every zoom, so that a timeline of 100 million events is
// drawn from a few thousand records. Level k has buckets of 2^k ns, counted
// from the first time of the trace. On each line (one depth of one track)
// events shorter than a bucket that begin in the same bucket are one mark;
// longer ones stay themselves: at most two boxes a bucket.
//
// Rows are taken in blocks. A block keeps a level only where it is much
// shorter than the one below, so what a query reads is in proportion to what
// it writes, wherever in the trace the events are dense. Below the first
// level that is kept, the rows themselves are read.
//
// Immutable, safe to read from several threads. Refers to the trace.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/executor.h"
#include "trace/trace.h"

namespace stepscope {

inline constexpr int kTileBits = 10;  // a tile is so many bits of buckets
inline constexpr int kUnitBits = 6;   // a bucket is 64 units
inline constexpr int kMaxLevel = 52;  // a bucket is at most 2^52 ns, 52 days
inline constexpr int kClassBits = 5;  // a class is 0..31

// One box of one level.
struct PyramidRecord {
  uint16_t x = 0;      // units from the begin of the tile
  uint16_t w = 0;      // units; 65535: or longer
  Row row = kNoRow;    // the event, or one of the longest of the mark
  uint32_t name = 0;   // of the event; of a mark see mark_name()
  uint16_t count = 1;  // events; 65535: or more
  uint8_t fill = 255;  // busy share of a mark, 0..254; 255: one event
  uint8_t kind = 0;    // class, and 3 bits: share of the name of a mark

  static constexpr uint32_t kNameMask = (1u << 24) - 1;
  bool is_mark() const { return count > 1; }
  uint8_t event_class() const { return kind & ((1u << kClassBits) - 1); }
  // 0: no name has half of the time; 7: one has nearly all.
  uint8_t share() const { return kind >> kClassBits; }
  uint32_t mark_name() const { return name & kNameMask; }
  // How long the longest is: quarters of its logarithm.
  uint8_t longest() const { return static_cast<uint8_t>(name >> 24); }
};
static_assert(sizeof(PyramidRecord) == 16);

// What a viewer colours an event by: a class, 0..31, by the type of the event
// unless its name says more.
struct PyramidClasses {
  static constexpr uint8_t kByType = 255;
  std::array<uint8_t, 64> of_type{};  // types beyond are as the last
  std::vector<uint8_t> of_name;       // by string id, or empty; kByType

  uint8_t Of(uint16_t type, StringId name) const {
    if (!of_name.empty() && of_name[name.v] != kByType) return of_name[name.v];
    return of_type[std::min<size_t>(type, of_type.size() - 1)];
  }
};

struct PyramidOptions {
  Executor* executor = &Executor::Shared();
  PyramidClasses classes;
};

// Some rows of one track, with their levels.
class PyramidBlock {
 public:
  struct Tile {
    uint32_t index = 0;  // from the begin of the trace
    uint32_t first = 0;  // its first record
  };
  // The records of one depth at one level.
  struct Line {
    std::span<const PyramidRecord> records;
    std::span<const Tile> tiles;  // those with records, in order
  };

  Row first() const { return first_; }
  Row last() const { return last_; }
  uint32_t depths() const { return depths_; }
  std::span<const int8_t> levels() const { return levels_; }
  // The coarsest level that is no coarser than `k`; negative: none, read rows.
  int LevelFor(int k) const;
  // `level` counts the kept ones.
  Line line(int level, uint32_t depth) const;
  size_t bytes() const;

 private:
  friend class PyramidBlockBuilder;
  struct Section {
    uint32_t record = 0;
    uint32_t tile = 0;
  };

  Row first_ = 0;
  Row last_ = 0;
  uint32_t depths_ = 0;
  std::vector<int8_t> levels_;
  std::vector<Section> sections_;  // by level and depth, and one more
  std::vector<Tile> tiles_;
  std::vector<PyramidRecord> records_;
};

class Pyramid {
 public:
  // Throws std::bad_alloc where memory is refused.
  Pyramid(const Trace& trace, const PyramidOptions& options);

  const Trace& trace() const { return trace_; }
  int64_t origin_ns() const { return origin_ns_; }
  // Of a track, by row.
  std::span<const PyramidBlock> blocks(uint32_t track) const;
  // One more than the deepest event of a track has.
  uint32_t depths(uint32_t track) const { return depths_[track]; }
  uint8_t class_of(Row row) const {
    return classes_.Of(trace_.type()[row], trace_.name()[row]);
  }
  size_t bytes() const;

 private:
  const Trace& trace_;
  int64_t origin_ns_ = 0;
  PyramidClasses classes_;
  std::vector<PyramidBlock> blocks_;
  std::vector<size_t> first_block_;  // by track, and one more
  std::vector<uint32_t> depths_;     // by track
};

}  // namespace stepscope
