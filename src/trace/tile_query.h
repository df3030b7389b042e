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

namespace stepscope {

// As it is sent, little-endian. Documented in docs/formats/http.md.
struct TileRecord {
  uint16_t x = 0;      // 1/64 bucket from the begin of the tile
  uint16_t w = 0;      // the same; at least 1
  Row row = kNoRow;    // the event, or one of the longest of the mark
  uint16_t name = 0;   // index of TileAnswer::names; kNoName: not among them
  uint8_t depth = 0;   // in the slot
  uint8_t kind = 0;    // class in the low 5 bits, then TileFlag
  uint16_t count = 1;  // events; 65535: or more
  uint8_t fill = 255;  // busy share of a mark, 0..254; 255: one event
  uint8_t slot = 0;    // which of the tracks that were asked for
};
static_assert(sizeof(TileRecord) == 16);

enum TileFlag : uint8_t {
  kTileBeginsBefore = 32,  // the event began in an earlier tile
  kTileEndsAfter = 64,     // and goes on in a later one
  kTileMixed = 128,        // a mark of which no name has half of the time
};
inline constexpr uint16_t kNoName = 65535;

// Some depths of one track, drawn in a slot from `at` on.
struct TilePart {
  uint8_t slot = 0;
  uint32_t track = 0;
  uint32_t first_depth = 0;
  uint32_t depths = 0;  // at + depths is at most 256
  uint32_t at = 0;
};

struct TileAnswer {
  struct Tile {
    uint32_t first = 0;  // record
    uint32_t count = 0;
  };
  std::vector<Tile> tiles;          // as asked for, in order
  std::vector<uint32_t> names;      // string ids
  std::vector<TileRecord> records;  // by tile, slot, depth, x
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
  void AddShort(uint32_t line, const Open& piece);
  void AddLong(uint32_t line, uint64_t x, uint64_t end, bool before, Row row,
               uint32_t name, uint8_t event_class);
  void Flush(uint32_t line);
  void Put(uint64_t tile, uint32_t line, TileRecord record);
  bool IsLong(Row row) const {
    return static_cast<uint64_t>(trace_.dur_ns()[row]) >> k_ != 0;
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

  std::vector<Open> open_;                      // by depth of the part
  std::vector<std::vector<TileRecord>> lines_;  // by tile and depth in the slot
  uint32_t used_depths_ = 0;
  std::vector<std::vector<TileRecord>> slots_;  // by tile
  std::vector<uint32_t> stamp_;  // by name: which answer it was last in
  std::vector<uint16_t> local_;
  uint32_t answer_number_ = 0;
  TileAnswer answer_;
};

}  // namespace stepscope
