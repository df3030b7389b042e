// SPDX-License-Identifier: Apache-2.0
//
// Tiles out of levels that are kept.
#include <algorithm>

#include "timeline/pyramid_mark.h"
#include "timeline/tile_worker.h"

namespace stepscope {
namespace {

std::span<const PyramidBlock::Tile> TilesFrom(const PyramidBlock::Line& line,
                                              uint64_t first) {
  const auto begin = std::partition_point(
      line.tiles.begin(), line.tiles.end(),
      [&](const PyramidBlock::Tile& tile) { return tile.index < first; });
  return {begin, line.tiles.end()};
}

// Where the boxes of the first of some tiles end, which are the last ones.
size_t EndOfFirst(std::span<const PyramidBlock::Tile> tiles,
                  const PyramidBlock::Line& line) {
  return tiles.size() == 1 ? line.boxes.size() : tiles[1].first;
}

}  // namespace

// The level that is asked for: boxes as they are.
void TileWorker::AddExact(const PyramidBlock& block,
                          const PyramidBlock::Line& line) {
  for (auto tiles = TilesFrom(line, window_.first_tile); !tiles.empty();
       tiles = tiles.subspan(1)) {
    const uint64_t tile = tiles[0].index - window_.first_tile;
    if (tile >= window_.tile_count) return;
    const size_t end = EndOfFirst(tiles, line);
    AddBoxes(block, line, tiles[0].first, end, static_cast<uint32_t>(tile));
  }
}

void TileWorker::AddBoxes(const PyramidBlock& block,
                          const PyramidBlock::Line& line, size_t first,
                          size_t last, uint32_t tile) {
  // Only the last event of a tile can reach beyond it.
  const PyramidBox beyond = line.boxes[last - 1];
  const Row beyond_row = RowOf(block, line, last - 1);
  const bool goes_on = !beyond.is_mark() &&
                       beyond.x() + beyond.w() > kTileUnits &&
                       window_.IsLong(trace_.dur_ns()[beyond_row]);
  const size_t end = goes_on ? last - 1 : last;
  TileRecord* out = writer_.BeginTile(tile, end - first);
  if (line.wide)
    out = PutBoxes<Names::kWide>(block, line, first, end, out);
  else if (line.names.empty())
    out = PutBoxes<Names::kOfRows>(block, line, first, end, out);
  else
    out = PutBoxes<Names::kOfBoxes>(block, line, first, end, out);
  writer_.EndTile(out);
  if (goes_on)
    writer_.AddLong(tile, beyond.x(), beyond_row, beyond.event_class());
}

template <TileWorker::Names kNames>
TileRecord* TileWorker::PutBoxes(const PyramidBlock& block,
                                 const PyramidBlock::Line& line, size_t first,
                                 size_t last, TileRecord* out) {
  constexpr size_t kAhead = 16;
  const PyramidBox* const boxes = line.boxes.data();
  const StringId* const row_names = trace_.name().data();
  const Row first_row = block.first();
  const Row rows = block.last() - block.first() - 1;
  const TileNames::Lookup number(writer_.names());
  const uint64_t where = writer_.line();
  for (size_t i = first; i < last; ++i) {
    const PyramidBox box = boxes[i];
    const bool mark = box.is_mark();
    Row row = first_row + std::min(box.row(), rows);
    uint32_t count = box.count();
    uint32_t name = 0;
    if constexpr (kNames == Names::kOfRows) {
      // Those of rows that are a cache line apart come late otherwise.
      if (i + kAhead < last)
        __builtin_prefetch(row_names + first_row + boxes[i + kAhead].row());
      name = row_names[row].v;
    } else if constexpr (kNames == Names::kOfBoxes) {
      name = line.names[i];
    } else {
      const PyramidExtra& extra = line.extras[i];
      row = extra.row;
      count = std::min<uint32_t>(extra.count, 65535);
      name = extra.name;
    }
    if (kNames != Names::kWide && box.has_extra() &&
        box.row() < line.extras.size()) {
      const PyramidExtra& extra = line.extras[box.row()];
      row = extra.row;
      count = std::min<uint32_t>(extra.count, 65535);
      name = extra.name;
    }
    const bool mixed = mark & (box.share() == 0);
    TileRecord::Put(out++, box.x(), box.w(), row, number(name),
                    box.event_class() | uint32_t{mixed} * kTileMixed, count,
                    Choose(mark, box.fill() * 2, 255u), where);
  }
  return out;
}

// From a finer level: what has come to lie in one bucket becomes one.
void TileWorker::AddFolded(const PyramidBlock& block,
                           const PyramidBlock::Line& line, int shift) {
  const uint64_t first = window_.first_tile << shift;
  const uint64_t tile_count = uint64_t{window_.tile_count} << shift;
  constexpr uint32_t kNone = UINT32_MAX;
  uint32_t tile = kNone;
  TileRecord* out = nullptr;
  TileFold fold;
  const auto add = [&](const TileFold& done) {
    if (done.count > 0) PutRecord(done, out++);
  };
  const auto end_tile = [&] {
    if (tile == kNone) return;
    add(fold);
    fold.count = 0;
    writer_.EndTile(out);
  };
  for (auto tiles = TilesFrom(line, first); !tiles.empty();
       tiles = tiles.subspan(1)) {
    const uint64_t from_first = tiles[0].index - first;
    if (from_first >= tile_count) break;
    if (const auto its = static_cast<uint32_t>(from_first >> shift);
        its != tile) {
      end_tile();
      tile = its;
      out = writer_.BeginTile(tile, line.boxes.size() - tiles[0].first);
    }
    const uint64_t x = (from_first - (uint64_t{tile} << shift))
                       << kTileUnitBits;
    const size_t end = EndOfFirst(tiles, line);
    for (size_t i = tiles[0].first; i < end; ++i) {
      const TileFold piece = FoldOf(block, line, i, x, shift);
      if (piece.count == 1 && IsLong(line.boxes[i], piece.row, shift)) {
        add(fold);
        fold.count = 0;
        if (piece.end <= kTileUnits && line.boxes[i].w() != 65535) {
          add(piece);
          continue;
        }
        writer_.EndTile(out);
        writer_.AddLong(tile, piece.x, piece.row, piece.event_class);
        out = writer_.BeginTile(tile, line.boxes.size() - i - 1);
      } else if (fold.count != 0 &&
                 fold.x >> kUnitBits == piece.x >> kUnitBits) {
        fold.Merge(piece, trace_.dur_ns());
      } else {
        add(fold);
        fold = piece;
      }
    }
  }
  end_tile();
}

// A box in units of the query: 2^shift times longer. `x` is that of its tile.
TileFold TileWorker::FoldOf(const PyramidBlock& block,
                            const PyramidBlock::Line& line, size_t i,
                            uint64_t x, int shift) const {
  const PyramidBox box = line.boxes[i];
  const uint64_t w = box.w();
  const bool mark = box.is_mark();
  TileFold fold;
  fold.row = RowOf(block, line, i);
  fold.count = mark ? 2 : 1;  // if it is damaged
  if (line.wide) {
    if (mark) fold.count = std::max<uint32_t>(line.extras[i].count, 2);
    fold.name = line.extras[i].name;
  } else if (box.has_extra() && box.row() < line.extras.size()) {
    const PyramidExtra& extra = line.extras[box.row()];
    fold.count = std::max<uint32_t>(extra.count, 2);
    fold.name = extra.name;
  } else {
    if (box.count() > 0) fold.count = box.count();
    fold.name = line.names.empty() ? trace_.name()[fold.row].v : line.names[i];
  }
  x += box.x();
  const uint64_t round = (uint64_t{1} << shift) - 1;
  fold.x = static_cast<uint32_t>(x >> shift);
  fold.end = static_cast<uint32_t>((x + w + round) >> shift);
  const uint64_t busy = (w * (mark ? box.fill() * 2 : 256u)) >> shift;
  fold.busy = std::max(static_cast<uint32_t>(busy), 1u);
  fold.name_busy = (fold.busy * kLeastShare[mark ? box.share() : 8]) >> 8;
  fold.event_class = box.event_class();
  return fold;
}

Row TileWorker::RowOf(const PyramidBlock& block, const PyramidBlock::Line& line,
                      size_t i) {
  const PyramidBox box = line.boxes[i];
  Row from_first = box.row();
  if (line.wide)
    from_first = line.extras[i].row - block.first();
  else if (box.has_extra() && box.row() < line.extras.size())
    from_first = line.extras[box.row()].row - block.first();
  return block.first() + std::min(from_first, block.last() - block.first() - 1);
}

// Of the box of one event. Boxes are rounded outwards, so one that is nearly a
// bucket long may be shorter.
bool TileWorker::IsLong(PyramidBox box, Row row, int shift) const {
  const uint64_t bucket = uint64_t{1} << (kUnitBits + shift);
  if (box.w() < bucket) return false;
  return box.w() > bucket + 1 || window_.IsLong(trace_.dur_ns()[row]);
}

void TileWorker::PutRecord(const TileFold& fold, TileRecord* to) {
  const uint32_t w = std::clamp<uint32_t>(fold.end - fold.x, 1, 65535);
  const bool one = fold.count == 1;
  const bool mixed = !one & (fold.name_busy * 2 < fold.busy);
  TileRecord::Put(to, fold.x, w, fold.row, writer_.names().Number(fold.name),
                  fold.event_class | (mixed ? uint32_t{kTileMixed} : 0u),
                  std::min<uint32_t>(fold.count, 65535),
                  one ? 255 : TileFill(fold.busy, w), writer_.line());
}

}  // namespace stepscope
