// SPDX-License-Identifier: Apache-2.0
//
// PyramidBlock: some rows of one track, with the boxes of every level that is
// kept of them. A wide one has more rows than a box can count: an extra of each
// box says what it is of. Refers to bytes that the Pyramid owns: built, or of a
// file. So tables are checked when they are read, and no number in a box is
// trusted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "timeline/pyramid_box.h"
#include "trace/line_depths.h"
#include "trace/trace.h"

namespace stepscope {

class PyramidBlock {
 public:
  // What a row of a block is counted by: 16 bits. Wide ones have more. Few
  // enough that a dense place inside a block does not matter, so many that a
  // whole track is few blocks.
  static constexpr Row kMostRows = 1u << 16;
  static constexpr uint32_t kNoNames = UINT32_MAX;
  static constexpr uint32_t kWide = UINT32_MAX - 1;

  struct Tile {
    uint32_t index = 0;  // from the begin of the trace
    uint32_t first = 0;  // its first box
  };
  // The boxes of one line at one level.
  struct Line {
    std::span<const PyramidBox> boxes;
    std::span<const Tile> tiles;      // those with boxes, in order
    std::span<const uint32_t> names;  // of the boxes; empty: those of the rows
    // Of the level; where it is wide, one for each of the boxes.
    std::span<const PyramidExtra> extras;
    bool wide = false;
  };
  // The boxes and the tile at which a line of a level begins.
  struct Section {
    uint32_t box = 0;
    uint32_t tile = 0;
  };
  struct Level {
    uint32_t k = 0;
    uint32_t first_extra = 0;
    // Levels whose rows are far apart keep the names of their boxes, so that
    // there is no cache miss for each: where they begin, or kNoNames. Or kWide.
    uint32_t first_name = kNoNames;
  };
  // How many there are of what the bytes hold.
  struct Shape {
    uint32_t native_depths = 0;
    uint32_t python_depths = 0;
    uint32_t levels = 0;
    uint32_t tiles = 0;
    uint32_t boxes = 0;
    uint32_t names = 0;
    uint32_t extras = 0;

    size_t lines() const { return size_t{native_depths} + python_depths; }
    size_t sections() const { return levels == 0 ? 0 : levels * lines() + 1; }
    // A multiple of 16.
    size_t bytes() const;
  };

  PyramidBlock(Row first, Row last) : first_(first), last_(last) {}

  Row first() const { return first_; }
  Row last() const { return last_; }
  uint32_t depths(LineKind kind) const {
    return kind == LineKind::kNative ? shape_.native_depths
                                     : shape_.python_depths;
  }
  std::span<const Level> levels() const { return levels_; }
  // Of a kept one: buckets are 2^k ns.
  int level(int index) const {
    return static_cast<int>(levels_[static_cast<size_t>(index)].k);
  }
  // The coarsest level that is no coarser than `k`; negative: none, read rows.
  int LevelFor(int k) const;
  // `level` counts the kept ones.
  Line line(int level, LineKind kind, uint32_t depth) const;

  const Shape& shape() const { return shape_; }
  std::span<const std::byte> bytes() const { return bytes_; }
  // Refers to bytes of this shape from now on. They are, in this order: boxes,
  // sections by level and line and one more, tiles, levels, names, extras.
  // REQUIRES: they are shape.bytes().
  void Attach(const Shape& shape, std::span<const std::byte> bytes);
  // Whether the tables are such that line() stays within them.
  bool TablesHold() const;

 private:
  bool LevelsHold() const;

  Row first_ = 0;
  Row last_ = 0;
  Shape shape_;
  std::span<const std::byte> bytes_;
  std::span<const PyramidBox> boxes_;
  std::span<const Section> sections_;
  std::span<const Tile> tiles_;
  std::span<const Level> levels_;
  std::span<const uint32_t> names_;
  std::span<const PyramidExtra> extras_;
};

}  // namespace stepscope
