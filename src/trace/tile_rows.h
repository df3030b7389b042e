// SPDX-License-Identifier: Apache-2.0
//
// TileRows: the rows of some blocks, each put into its line, and the boxes that
// they make there. Keeps its memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "trace/line_depths.h"
#include "trace/tile_window.h"

namespace stepscope {

class TileRows {
 public:
  struct Line {
    const Row* rows = nullptr;
    // The first row of every box, of `rows`, and the end of the last.
    const uint32_t* heads = nullptr;
    size_t boxes = 0;
  };

  // Of lines [first_depth, first_depth + depths) of a kind.
  void Begin(const TileWindow& window, LineKind kind, uint32_t first_depth,
             uint32_t depths);
  // Adds rows of one track, which has such lines; returns their number.
  // REQUIRES: they begin in the window.
  size_t Add(const Trace& trace, TrackLines lines, Row first, Row last);
  // Of what was added under this number. `line` from `first_depth` on.
  Line line(size_t number, uint32_t line) const;

 private:
  // A line while its rows are put there.
  struct Filling {
    uint32_t rows = 0;      // so far
    uint32_t boxes = 0;     // the same
    uint32_t first = 0;     // place of the first row, and of the first head
    uint64_t bucket = 0;    // of the last row; kNone: it was long
  };
  static constexpr uint64_t kNone = UINT64_MAX;

  void FindLines(const Trace& trace, TrackLines lines, Row first, Row last);
  void Reserve(size_t rows);

  TileWindow window_;
  LineKind kind_ = LineKind::kNative;
  uint32_t first_depth_ = 0;
  uint32_t depths_ = 0;
  std::vector<uint32_t> line_of_;  // by row, while they are added
  // By number and line, with one more line for those that are not asked for.
  std::vector<Filling> lines_;
  std::unique_ptr<Row[]> rows_;
  std::unique_ptr<uint32_t[]> heads_;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

}  // namespace stepscope
