// SPDX-License-Identifier: Apache-2.0
//
// TileRows: the records that the rows of some blocks make, where no level is
// kept. Rows are read once, in their order; each line gathers its own records.
// Keeps its memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "timeline/pyramid.h"
#include "timeline/tile_names.h"
#include "timeline/tile_records.h"
#include "timeline/tile_window.h"
#include "timeline/tile_writer.h"
#include "trace/line_depths.h"

namespace stepscope {

class TileRows {
 public:
  // `pyramid` outlives this.
  explicit TileRows(const Pyramid& pyramid);

  // Names are numbered by `names`, which outlives all that follows.
  void Begin(const TileWindow& window, const TilePart& part, TileNames& names);
  // Adds rows of the track; returns their number. REQUIRES: they begin in the
  // window.
  size_t Add(Row first, Row last);
  // Writes what was added under this number. `line` is one of the part.
  void Write(size_t number, uint32_t line, TileWriter& writer) const;

 private:
  // Records of one tile, or an event that goes on in others.
  struct Run {
    uint32_t tile = 0;
    uint32_t first = 0;  // of the records of the line
    uint32_t x = 0;      // of an event
    Row row = kNoRow;    // an event
  };
  // The last box of a line, which shorter events of its bucket join.
  struct Open {
    uint64_t bucket = 0;  // kNone: nothing can join
    uint32_t units = 0;   // where it begins
    uint32_t count = 0;
    Row first = 0;
    // These are there where there are several.
    Row longest = 0;
    Row named = 0;  // has the name
    int64_t longest_ns = 0;
    // An event counts one ns more than it took, so that those without duration
    // count too.
    uint64_t weight = 0;
    uint64_t name_weight = 0;
  };
  struct Line {
    Open open;
    uint32_t tile = 0;   // of the last run
    uint64_t where = 0;  // slot and depth, where a record has them
    TileRecordBuffer records;
    std::vector<Run> runs;
    std::vector<uint32_t> first_run;  // by number
  };
  static constexpr uint64_t kNone = UINT64_MAX;
  static constexpr uint32_t kNoTile = UINT32_MAX;

  // What a loop needs, in registers.
  struct Columns;
  // `kFine`: a unit is shorter than a nanosecond.
  template <bool kFine, typename DepthOf>
  void AddRows(Row first, Row last, DepthOf depth_of);
  template <bool kFine>
  void Join(Line& line, Row row, int64_t dur, const Columns& columns);
  // Makes room, or begins a tile.
  void BeginRun(Line& line, uint32_t tile);

  const Pyramid& pyramid_;
  const Trace& trace_;
  TileWindow window_;
  TilePart part_;
  TileNames* names_ = nullptr;
  size_t numbers_ = 0;
  std::vector<Line> lines_;  // the first of them are those of the part
};

}  // namespace stepscope
