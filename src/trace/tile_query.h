// SPDX-License-Identifier: Apache-2.0
//
// TileQuery: what a timeline draws of some tracks in some tiles, as records
// that are sent as they are. A tile is 1,024 buckets of 2^k ns. Work is in
// proportion to the answer. Not thread-safe; keep one per thread, it reuses
// its memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trace/pyramid.h"
#include "trace/tile_records.h"

namespace stepscope {

// Some depths of one track, drawn in a slot from `at` on.
struct TilePart {
  uint8_t slot = 0;
  uint32_t track = 0;
  uint32_t first_depth = 0;
  uint32_t depths = 0;  // at + depths is at most 256
  uint32_t at = 0;
};

struct TileAnswer {
  std::span<const TileRecordBuffer> tiles;  // as asked for; by slot, depth, x
  std::vector<uint32_t> names;              // string ids

  size_t record_count() const {
    size_t count = 0;
    for (const TileRecordBuffer& tile : tiles) count += tile.size();
    return count;
  }
};

class TileQuery {
 public:
  // `pyramid` outlives this.
  explicit TileQuery(const Pyramid& pyramid);

  // Tiles [first, first + count) of level `k`. Parts in the order of their
  // slots. REQUIRES: 0 <= k <= kMaxLevel.
  const TileAnswer& Run(int k, uint64_t first, uint32_t count,
                        std::span<const TilePart> parts);

 private:
  // A mark that may still grow, in units from the first tile.
  struct Open {
    uint64_t x = 0;
    uint64_t end = 0;
    uint64_t busy = 0;       // units, in 1/256
    uint64_t name_busy = 0;  // of that, at least, by the name
    uint32_t name = 0;
    uint32_t count = 0;  // 0: none
    Row row = kNoRow;
    uint8_t longest = 0;
    uint8_t event_class = 0;
    bool one = false;  // one event
  };

  void RunPart(const TilePart& part);
  void AddCovering(const TilePart& part, std::span<const PyramidBlock> blocks);
  void AddLine(const TilePart& part, const PyramidBlock& block, int level,
               uint32_t depth);
  void AddRows(const TilePart& part, const PyramidBlock& block);
  void AddEvent(uint32_t line, uint64_t x, Row row, uint8_t event_class);
  static void Merge(Open& open, const Open& piece);
  void AddLong(uint32_t line, uint64_t x, uint64_t end, bool before, Row row,
               uint32_t name, uint8_t event_class);
  void Flush(uint32_t line);
  void AddFolded(const PyramidBlock::Line& line, int level_k, uint32_t at);
  void AddExact(const PyramidBlock::Line& line, uint32_t at);
  TileRecord Closed(const Open& open, uint32_t line);
  TileRecordBuffer& LineOf(uint64_t tile, uint32_t line) {
    return lines_[tile * 256 + line];
  }
  bool IsLong(Row row) const {
    return row < trace_.size() &&
           static_cast<uint64_t>(trace_.dur_ns()[row]) >> k_ != 0;
  }
  uint16_t LocalName(uint32_t name);
  uint64_t UnitsDown(int64_t ns) const;
  uint64_t UnitsUp(int64_t ns) const;
  Row LowerBound(Row first, Row last, int64_t time) const;

  const Pyramid& pyramid_;
  const Trace& trace_;
  int k_ = 0;
  uint64_t first_tile_ = 0;
  uint32_t tile_count_ = 0;
  int64_t begin_ = 0;  // of the first tile, in the times of the trace
  int64_t end_ = 0;    // of the last one
  uint8_t slot_ = 0;
  uint32_t part_at_ = 0;

  std::vector<Open> open_;               // by depth of the part
  std::vector<TileRecordBuffer> lines_;  // by tile and depth in the slot
  uint32_t used_depths_ = 0;
  std::vector<TileRecordBuffer> tiles_;
  struct LocalId {
    uint32_t answer = 0;  // in which it is valid
    uint16_t id = 0;
  };
  std::vector<LocalId> local_;  // by name
  uint32_t answer_number_ = 0;
  TileAnswer answer_;
};

}  // namespace stepscope
