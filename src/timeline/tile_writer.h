// SPDX-License-Identifier: Apache-2.0
//
// TileWriter: puts the boxes of lines into the records of tiles, with names
// that count within the answer. Lines come in the order in which they are sent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "timeline/tile_names.h"
#include "timeline/tile_records.h"
#include "timeline/tile_window.h"

namespace stepscope {

class TileWriter {
 public:
  explicit TileWriter(const Trace& trace);

  void Begin(const TileWindow& window);
  // What follows is of this line.
  void BeginLine(uint8_t slot, uint32_t depth);
  uint64_t line() const { return line_; }
  // Where boxes of one tile are to be written, at most so many; then where they
  // end. Loops keep the place to themselves: in a register.
  TileRecord* BeginTile(uint32_t tile, size_t most);
  void EndTile(const TileRecord* end);
  // Whole records, of the line that has begun.
  void Append(uint32_t tile, std::span<const TileRecord> records) {
    tiles_[tile].Append(records);
  }
  TileNames& names() { return names_; }

  // An event of a tile that goes on in others. REQUIRES: no tile has begun.
  void AddLong(uint32_t tile, uint32_t x, Row row, uint32_t event_class);
  // One that began before the first tile. REQUIRES: the same.
  void AddCovering(Row row, uint32_t event_class);

  std::span<const TileRecordBuffer> tiles() const {
    return std::span(tiles_).first(window_.tile_count);
  }
  const TileNames& names() const { return names_; }

 private:
  void AddPieces(uint32_t x, bool before, Row row, uint32_t event_class);

  const Trace& trace_;
  TileWindow window_;
  uint64_t line_ = 0;  // slot and depth, where a record has them
  uint32_t tile_ = 0;
  const TileRecord* end_ = nullptr;  // of what the tile has room for
  std::vector<TileRecordBuffer> tiles_;
  TileNames names_;
};

}  // namespace stepscope
