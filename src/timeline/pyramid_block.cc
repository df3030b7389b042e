// SPDX-License-Identifier: Apache-2.0
#include "timeline/pyramid_block.h"

namespace stepscope {
namespace {

template <typename T>
std::span<const T> TakeSpan(std::span<const std::byte>& bytes, size_t count) {
  const auto* const data = reinterpret_cast<const T*>(bytes.data());
  bytes = bytes.subspan(count * sizeof(T));
  return {data, count};
}

// Every tile of a line has boxes, and every box is in a tile.
bool TilesHold(std::span<const PyramidBlock::Tile> tiles, uint32_t boxes) {
  if (tiles.empty()) return boxes == 0;
  if (tiles[0].first != 0 || tiles.back().first >= boxes) return false;
  for (size_t i = 1; i < tiles.size(); ++i) {
    if (tiles[i].first <= tiles[i - 1].first ||
        tiles[i].index <= tiles[i - 1].index) {
      return false;
    }
  }
  return true;
}

}  // namespace

size_t PyramidBlock::Shape::bytes() const {
  const size_t bytes =
      size_t{boxes} * sizeof(PyramidBox) + sections() * sizeof(Section) +
      size_t{tiles} * sizeof(Tile) + size_t{levels} * sizeof(Level) +
      size_t{names} * sizeof(uint32_t) + size_t{extras} * sizeof(PyramidExtra);
  return (bytes + 15) / 16 * 16;
}

void PyramidBlock::Attach(const Shape& shape,
                          std::span<const std::byte> bytes) {
  shape_ = shape;
  bytes_ = bytes;
  boxes_ = TakeSpan<PyramidBox>(bytes, shape.boxes);
  sections_ = TakeSpan<Section>(bytes, shape.sections());
  tiles_ = TakeSpan<Tile>(bytes, shape.tiles);
  levels_ = TakeSpan<Level>(bytes, shape.levels);
  names_ = TakeSpan<uint32_t>(bytes, shape.names);
  extras_ = TakeSpan<PyramidExtra>(bytes, shape.extras);
}

int PyramidBlock::LevelFor(int k) const {
  int level = -1;
  for (const Level& kept : levels_) {
    if (static_cast<int>(kept.k) > k) break;
    ++level;
  }
  return level;
}

PyramidBlock::Line PyramidBlock::line(int level, LineKind kind,
                                      uint32_t depth) const {
  const auto index = static_cast<size_t>(level);
  const size_t at = index * shape_.lines() + depth +
                    (kind == LineKind::kNative ? 0 : shape_.native_depths);
  const Section& from = sections_[at];
  const Section& to = sections_[at + 1];
  const Level& kept = levels_[index];
  Line line;
  line.boxes = boxes_.subspan(from.box, to.box - from.box);
  line.tiles = tiles_.subspan(from.tile, to.tile - from.tile);
  const uint32_t before = from.box - sections_[index * shape_.lines()].box;
  line.wide = kept.first_name == kWide;
  if (line.wide) {
    line.extras = extras_.subspan(kept.first_extra + before, line.boxes.size());
    return line;
  }
  if (kept.first_name != kNoNames)
    line.names = names_.subspan(kept.first_name + before, line.boxes.size());
  line.extras = extras_.subspan(kept.first_extra);
  return line;
}

bool PyramidBlock::LevelsHold() const {
  for (size_t i = 0; i < levels_.size(); ++i) {
    const Level& level = levels_[i];
    if (level.k > kMaxLevel || level.first_extra > extras_.size()) return false;
    if (i > 0 && level.k <= levels_[i - 1].k) return false;
    const uint32_t boxes = sections_[(i + 1) * shape_.lines()].box -
                           sections_[i * shape_.lines()].box;
    if (level.first_name == kWide) {
      if (size_t{level.first_extra} + boxes > extras_.size()) return false;
    } else if (level.first_name != kNoNames &&
               size_t{level.first_name} + boxes > names_.size()) {
      return false;
    }
  }
  return true;
}

bool PyramidBlock::TablesHold() const {
  if (sections_.empty()) return boxes_.empty() && tiles_.empty();
  if (sections_.front().box != 0 || sections_.front().tile != 0 ||
      sections_.back().box != boxes_.size() ||
      sections_.back().tile != tiles_.size()) {
    return false;
  }
  for (size_t i = 0; i + 1 < sections_.size(); ++i) {
    const Section& from = sections_[i];
    const Section& to = sections_[i + 1];
    if (to.box < from.box || to.box > boxes_.size()) return false;
    if (to.tile < from.tile || to.tile > tiles_.size()) return false;
    if (!TilesHold(tiles_.subspan(from.tile, to.tile - from.tile),
                   to.box - from.box)) {
      return false;
    }
  }
  return LevelsHold();
}

}  // namespace stepscope
