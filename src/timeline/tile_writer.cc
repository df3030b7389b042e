// SPDX-License-Identifier: Apache-2.0
#include "timeline/tile_writer.h"

#include <algorithm>

namespace stepscope {

TileWriter::TileWriter(const Trace& trace)
    : trace_(trace), names_(trace.strings().size()) {}

void TileWriter::Begin(const TileWindow& window) {
  window_ = window;
  names_.Begin();
  if (tiles_.size() < window.tile_count) tiles_.resize(window.tile_count);
  for (TileRecordBuffer& tile : tiles_) tile.clear();
}

void TileWriter::BeginLine(uint8_t slot, uint32_t depth) {
  line_ = TileRecord::Line(slot, depth);
}

TileRecord* TileWriter::BeginTile(uint32_t tile, size_t most) {
  tile_ = tile;
  TileRecord* const out = tiles_[tile].Grow(most);
  end_ = out + most;
  return out;
}

void TileWriter::EndTile(const TileRecord* end) {
  tiles_[tile_].Shrink(static_cast<size_t>(end_ - end));
}

void TileWriter::AddLong(uint32_t tile, uint32_t x, Row row,
                         uint32_t event_class) {
  AddPieces(tile << kTileUnitBits | x, false, row, event_class);
}

void TileWriter::AddCovering(Row row, uint32_t event_class) {
  AddPieces(0, true, row, event_class);
}

void TileWriter::AddPieces(uint32_t x, bool before, Row row,
                           uint32_t event_class) {
  const uint16_t name = names_.Number(trace_.name()[row].v);
  const uint32_t end = std::max(window_.EndUnits(trace_.end_ns(row)), x + 1);
  const uint32_t last =
      std::min((end - 1) >> kTileUnitBits, window_.tile_count - 1);
  for (uint32_t tile = x >> kTileUnitBits; tile <= last; ++tile) {
    const uint32_t tile_x = tile << kTileUnitBits;
    const uint32_t from = std::max(x, tile_x) - tile_x;
    const uint32_t to = std::min(end - tile_x, kTileUnits);
    uint32_t kind = event_class;
    if (before || tile_x > x) kind |= kTileBeginsBefore;
    if (end - tile_x > kTileUnits) kind |= kTileEndsAfter;
    TileRecord::Put(tiles_[tile].Grow(1), from,
                    std::clamp<uint32_t>(to - from, 1, 65535), row, name, kind,
                    1, 255, line_);
  }
}

}  // namespace stepscope
