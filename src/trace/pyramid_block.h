// SPDX-License-Identifier: Apache-2.0
//
// PyramidBlock: some rows of one track, with the boxes of every level that is
// kept of them. Refers to bytes that the Pyramid owns: built, or of a file. So
// tables are checked when they are read, and no number in a record is trusted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

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
  // How long the parts of the bytes are, in order of the bytes.
  struct Shape {
    uint32_t depths = 0;
    uint32_t levels = 0;
    uint32_t tiles = 0;
    uint32_t records = 0;

    size_t sections() const {
      return levels == 0 ? 0 : size_t{levels} * depths + 1;
    }
    // A multiple of 16.
    size_t bytes() const;
  };

  PyramidBlock() = default;
  PyramidBlock(Row first, Row last) : first_(first), last_(last) {}

  Row first() const { return first_; }
  Row last() const { return last_; }
  uint32_t depths() const { return shape_.depths; }
  std::span<const int8_t> levels() const { return levels_; }
  // The coarsest level that is no coarser than `k`; negative: none, read rows.
  int LevelFor(int k) const;
  // `level` counts the kept ones.
  Line line(int level, uint32_t depth) const;

  const Shape& shape() const { return shape_; }
  std::span<const std::byte> bytes() const { return bytes_; }
  // Refers to bytes of this shape from now on. REQUIRES: they are as many.
  void Attach(const Shape& shape, std::span<const std::byte> bytes);
  // Whether the tables are such that line() stays within them.
  bool TablesHold() const;

  // The number of a record and of a tile at which a line begins.
  struct Section {
    uint32_t record = 0;
    uint32_t tile = 0;
  };

 private:
  Row first_ = 0;
  Row last_ = 0;
  Shape shape_;
  std::span<const std::byte> bytes_;
  std::span<const PyramidRecord> records_;
  std::span<const Section> sections_;  // by level and depth, and one more
  std::span<const Tile> tiles_;
  std::span<const int8_t> levels_;
};

}  // namespace stepscope
