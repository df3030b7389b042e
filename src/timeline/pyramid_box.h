// SPDX-License-Identifier: Apache-2.0
//
// PyramidBox: one box of one level of a pyramid, in 8 bytes, since the finest
// level has half as many as there are events. Its name is that of its event.
#pragma once

#include <algorithm>
#include <cstdint>

#include "trace/trace.h"

namespace stepscope {

inline constexpr int kTileBits = 10;  // a tile is so many bits of buckets
inline constexpr int kUnitBits = 6;   // a bucket is 64 units
inline constexpr int kMaxLevel = 52;  // a bucket is at most 2^52 ns, 52 days

// Of marks whose number does not fit into a box, or whose name is not that of
// the row.
struct PyramidExtra {
  Row row = 0;        // one of the longest
  uint32_t name = 0;  // with most of the time
  uint32_t count = 0;
};

// One event or a mark, several that are shorter than a bucket and begin in the
// same one. So a mark is at most two buckets long.
class PyramidBox {
 public:
  static constexpr uint32_t kMostCount = 511;

  PyramidBox() = default;
  // `x` and `w` in units, from the begin of the tile; `row` from the first of
  // the block.
  static PyramidBox Event(uint64_t x, uint64_t w, uint64_t row,
                          uint64_t event_class) {
    return PyramidBox(x | row << 16 | event_class << kClassAt | w << 48);
  }
  // `share` is of the name: 0 if none has half of the time, 7 if one has nearly
  // all; `fill` is the busy share, 0..127. A count of 0: `row` is the number of
  // a PyramidExtra of the level.
  static PyramidBox Mark(uint64_t x, uint64_t w, uint64_t row,
                         uint64_t event_class, uint64_t share, uint64_t fill,
                         uint64_t count) {
    return PyramidBox(x | row << 16 | kMarkBit | event_class << kClassAt |
                      share << kShareAt | (w - 1) << kMarkWidthAt | fill << 48 |
                      count << 55);
  }

  bool is_mark() const { return (bits_ & kMarkBit) != 0; }
  bool has_extra() const { return is_mark() && bits_ >> 55 == 0; }
  uint32_t x() const { return bits_ & 0xffff; }
  // 65535: or longer.
  uint32_t w() const {
    const auto of_event = static_cast<uint32_t>(bits_ >> 48);
    const uint32_t of_mark = ((bits_ >> kMarkWidthAt) & 127) + 1;
    return is_mark() ? of_mark : of_event;
  }
  uint32_t row() const { return (bits_ >> 16) & 0xffff; }
  uint32_t event_class() const { return (bits_ >> kClassAt) & 31; }
  // The others are of marks.
  uint32_t share() const { return (bits_ >> kShareAt) & 7; }
  uint32_t fill() const { return (bits_ >> 48) & 127; }
  uint32_t count() const {
    return is_mark() ? static_cast<uint32_t>(bits_ >> 55) : 1;
  }

 private:
  static constexpr uint64_t kMarkBit = uint64_t{1} << 32;
  static constexpr int kClassAt = 33;
  static constexpr int kShareAt = 38;
  static constexpr int kMarkWidthAt = 41;

  explicit PyramidBox(uint64_t bits) : bits_(bits) {}

  uint64_t bits_ = 0;
};
static_assert(sizeof(PyramidBox) == 8);

}  // namespace stepscope
