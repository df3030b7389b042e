// SPDX-License-Identifier: Apache-2.0
#include "trace/pyramid_block.h"

#include <algorithm>

namespace stepscope {
namespace {

size_t Rounded(size_t bytes) { return (bytes + 15) / 16 * 16; }

template <typename T>
std::span<const T> Take(std::span<const std::byte>& bytes, size_t count) {
  const auto* const data = reinterpret_cast<const T*>(bytes.data());
  bytes = bytes.subspan(count * sizeof(T));
  return {data, count};
}

}  // namespace

size_t PyramidBlock::Shape::bytes() const {
  return Rounded(size_t{records} * sizeof(PyramidRecord) +
                 sections() * sizeof(Section) + size_t{tiles} * sizeof(Tile) +
                 levels);
}

void PyramidBlock::Attach(const Shape& shape,
                          std::span<const std::byte> bytes) {
  shape_ = shape;
  bytes_ = bytes;
  records_ = Take<PyramidRecord>(bytes, shape.records);
  sections_ = Take<Section>(bytes, shape.sections());
  tiles_ = Take<Tile>(bytes, shape.tiles);
  levels_ = Take<int8_t>(bytes, shape.levels);
}

int PyramidBlock::LevelFor(int k) const {
  int level = -1;
  for (const int8_t kept : levels_) {
    if (kept > k) break;
    ++level;
  }
  return level;
}

PyramidBlock::Line PyramidBlock::line(int level, uint32_t depth) const {
  const size_t at = static_cast<size_t>(level) * depths() + depth;
  const Section& from = sections_[at];
  const Section& to = sections_[at + 1];
  return {records_.subspan(from.record, to.record - from.record),
          tiles_.subspan(from.tile, to.tile - from.tile)};
}

bool PyramidBlock::TablesHold() const {
  for (size_t i = 0; i < levels_.size(); ++i) {
    if (levels_[i] < 0 || levels_[i] > kMaxLevel) return false;
    if (i > 0 && levels_[i] <= levels_[i - 1]) return false;
  }
  if (sections_.empty()) return true;
  if (sections_.front().record != 0 || sections_.front().tile != 0 ||
      sections_.back().record != records_.size() ||
      sections_.back().tile != tiles_.size()) {
    return false;
  }
  for (size_t i = 0; i + 1 < sections_.size(); ++i) {
    const Section& from = sections_[i];
    const Section& to = sections_[i + 1];
    if (to.record < from.record || to.tile < from.tile) return false;
    if (to.record > records_.size() || to.tile > tiles_.size()) return false;
    // Every tile has records, and every record is in a tile.
    const uint32_t records = to.record - from.record;
    const auto tiles = tiles_.subspan(from.tile, to.tile - from.tile);
    if (tiles.empty() != (records == 0)) return false;
    if (!tiles.empty() && tiles[0].first != 0) return false;
    for (size_t t = 0; t < tiles.size(); ++t) {
      if (tiles[t].first >= records) return false;
      if (t > 0 && (tiles[t].first <= tiles[t - 1].first ||
                    tiles[t].index <= tiles[t - 1].index)) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace stepscope
