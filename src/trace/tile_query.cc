// SPDX-License-Identifier: Apache-2.0
#include "trace/tile_query.h"

#include <algorithm>

#include "trace/pyramid_mark.h"

namespace stepscope {
namespace {

constexpr int kTileUnitBits = kTileBits + kUnitBits;
constexpr uint64_t kTileUnits = uint64_t{1} << kTileUnitBits;
constexpr uint32_t kMostDepths = 256;
constexpr int kBusyBits = 8;  // busy time is kept in 1/256 of a unit

}  // namespace

TileQuery::TileQuery(const Pyramid& pyramid)
    : pyramid_(pyramid),
      trace_(pyramid.trace()),
      stamp_(trace_.strings().size(), 0),
      local_(trace_.strings().size(), 0) {}

const TileAnswer& TileQuery::Run(int k, uint64_t first, uint32_t count,
                                 std::span<const TilePart> parts) {
  k_ = k;
  first_tile_ = first;
  tile_count_ = count;
  ++answer_number_;
  answer_.tiles.clear();
  answer_.names.clear();
  answer_.records.clear();
  lines_.resize(std::max<size_t>(lines_.size(), size_t{count} * kMostDepths));
  slots_.resize(std::max<size_t>(slots_.size(), count));
  for (std::vector<TileRecord>& records : slots_) records.clear();

  // Tiles that begin after the last representable time hold nothing.
  const int tile_bits = k + kTileBits;
  const uint64_t last_tile = static_cast<uint64_t>(INT64_MAX) >> tile_bits;
  if (count > 0 && first <= last_tile) {
    tile_count_ =
        static_cast<uint32_t>(std::min<uint64_t>(count, last_tile - first + 1));
    begin_ = static_cast<int64_t>(first << tile_bits);
    const uint64_t end = (first + tile_count_) << tile_bits;
    end_ = static_cast<int64_t>(std::min<uint64_t>(end, INT64_MAX));
    for (size_t i = 0; i < parts.size();) {
      slot_ = parts[i].slot;
      used_depths_ = 0;
      for (; i < parts.size() && parts[i].slot == slot_; ++i) RunPart(parts[i]);
      for (uint32_t tile = 0; tile < tile_count_; ++tile) {
        std::vector<TileRecord>& out = slots_[tile];
        for (uint32_t depth = 0; depth < used_depths_; ++depth) {
          std::vector<TileRecord>& line = lines_[tile * kMostDepths + depth];
          out.insert(out.end(), line.begin(), line.end());
          line.clear();
        }
      }
    }
  }
  for (uint32_t tile = 0; tile < count; ++tile) {
    const std::vector<TileRecord>& records = slots_[tile];
    answer_.tiles.push_back({static_cast<uint32_t>(answer_.records.size()),
                             static_cast<uint32_t>(records.size())});
    answer_.records.insert(answer_.records.end(), records.begin(),
                           records.end());
  }
  return answer_;
}

void TileQuery::RunPart(const TilePart& part) {
  const std::span<const PyramidBlock> blocks = pyramid_.blocks(part.track);
  if (blocks.empty()) return;
  used_depths_ =
      std::max(used_depths_, std::min(part.at + part.depths, kMostDepths));
  open_.assign(part.depths, Open{});
  part_at_ = part.at;
  const auto begins_by = [&](int64_t time) {
    return std::partition_point(
        blocks.begin(), blocks.end(), [&](const PyramidBlock& block) {
          return trace_.start_ns()[block.first()] - pyramid_.origin_ns() < time;
        });
  };
  AddCovering(part, blocks);
  // The block before the first that begins in here may reach into it.
  auto block = begins_by(begin_);
  if (block != blocks.begin()) --block;
  for (const auto last = begins_by(end_); block < last; ++block) {
    const int level = block->LevelFor(k_);
    if (level < 0) {
      AddRows(part, *block);
      continue;
    }
    const uint32_t depths =
        std::min(block->depths(), part.first_depth + part.depths);
    for (uint32_t depth = part.first_depth; depth < depths; ++depth)
      AddLine(part, *block, level, depth);
  }
  for (uint32_t line = 0; line < part.depths; ++line) Flush(part.at + line);
}

// Events that began before the first tile and reach into it: the last that
// began before, and its parents.
void TileQuery::AddCovering(const TilePart& part,
                            std::span<const PyramidBlock> blocks) {
  const Row end =
      LowerBound(blocks.front().first(), blocks.back().last(), begin_);
  if (end == blocks.front().first()) return;
  const Nesting& nesting = trace_.nesting();
  for (Row row = end - 1; row != kNoRow; row = nesting.parent[row]) {
    const int64_t event_end = trace_.end_ns(row) - pyramid_.origin_ns();
    const uint32_t depth = nesting.depth[row];
    if (event_end <= begin_ || depth < part.first_depth ||
        depth >= part.first_depth + part.depths || !IsLong(row)) {
      continue;  // short ones belong to a mark of the tile before
    }
    AddLong(part.at + depth - part.first_depth, 0,
            UnitsUp(std::min(event_end, end_) - begin_) +
                (event_end > end_ ? 1 : 0),
            true, row, trace_.name()[row].v, pyramid_.class_of(row));
  }
}

void TileQuery::AddLine(const TilePart& part, const PyramidBlock& block,
                        int level, uint32_t depth) {
  const PyramidBlock::Line line = block.line(level, depth);
  const int shift = k_ - block.levels()[static_cast<size_t>(level)];
  const uint32_t at = part.at + depth - part.first_depth;
  // Tiles of that level; those of a block have 32 bits.
  const uint64_t first = first_tile_ << shift;
  const uint64_t last = (first_tile_ + tile_count_) << shift;
  auto tile = std::partition_point(
      line.tiles.begin(), line.tiles.end(),
      [&](const PyramidBlock::Tile& t) { return t.index < first; });
  const uint64_t short_units = uint64_t{1} << (kUnitBits + shift);
  for (; tile != line.tiles.end() && tile->index < last; ++tile) {
    const uint64_t tile_x = (tile->index - first) << kTileUnitBits;
    const size_t end =
        tile + 1 == line.tiles.end() ? line.records.size() : (tile + 1)->first;
    for (size_t i = tile->first; i < end; ++i) {
      const PyramidRecord& record = line.records[i];
      uint64_t from = tile_x + record.x;
      uint64_t to = from + record.w;
      // Rounded outwards, so one that is nearly a bucket long may be shorter.
      if (!record.is_mark() && record.w >= short_units &&
          (record.w > short_units + 1 || IsLong(record.row))) {
        if (record.w == 65535) {
          const int64_t event_end =
              trace_.end_ns(record.row) - pyramid_.origin_ns();
          to = event_end > end_
                   ? uint64_t{tile_count_ + 1} << (kTileUnitBits + shift)
                   : UnitsUp(event_end - begin_) << shift;
        }
        AddLong(at, from >> shift, (to + (uint64_t{1} << shift) - 1) >> shift,
                false, record.row, record.name, record.event_class());
        continue;
      }
      Open piece;
      piece.x = from >> shift;
      piece.end = (to + (uint64_t{1} << shift) - 1) >> shift;
      piece.row = record.row;
      piece.count = record.count;
      piece.event_class = record.event_class();
      if (record.is_mark()) {
        piece.busy = (uint64_t{record.w} * record.fill) >> shift;
        piece.name = record.mark_name();
        piece.name_busy = static_cast<uint64_t>(
            static_cast<double>(piece.busy) * LeastShare(record.share()));
        piece.longest = record.longest();
      } else {
        piece.one = true;
        piece.busy = (uint64_t{record.w} << kBusyBits) >> shift;
        piece.name = record.name;
        piece.name_busy = piece.busy;
        // In the units of marks: ns.
        const int unit = block.levels()[static_cast<size_t>(level)] - kUnitBits;
        piece.longest = LengthCode(unit >= 0 ? uint64_t{record.w} << unit
                                             : uint64_t{record.w} >> -unit);
      }
      AddShort(at, piece);
    }
  }
}

void TileQuery::AddRows(const TilePart& part, const PyramidBlock& block) {
  const Nesting& nesting = trace_.nesting();
  for (Row row = LowerBound(block.first(), block.last(), begin_);
       row < block.last(); ++row) {
    const int64_t start = trace_.start_ns()[row] - pyramid_.origin_ns();
    if (start >= end_) break;
    const uint32_t depth = nesting.depth[row] - part.first_depth;
    if (depth >= part.depths) continue;
    const int64_t dur = trace_.dur_ns()[row];
    const uint32_t name = trace_.name()[row].v;
    const uint64_t from = UnitsDown(start - begin_);
    const int64_t to = std::min(start + dur, end_);
    if (static_cast<uint64_t>(dur) >> k_ != 0) {
      AddLong(part.at + depth, from,
              UnitsUp(to - begin_) + (start + dur > end_ ? 1 : 0), false, row,
              name, pyramid_.class_of(row));
      continue;
    }
    Open piece;
    piece.x = from;
    piece.end = std::max(UnitsUp(start + dur - begin_), from + 1);
    piece.row = row;
    piece.count = 1;
    piece.one = true;
    piece.event_class = pyramid_.class_of(row);
    piece.busy = (piece.end - from) << kBusyBits;
    piece.name = name;
    piece.name_busy = piece.busy;
    piece.longest = LengthCode(static_cast<uint64_t>(dur));
    AddShort(part.at + depth, piece);
  }
}

void TileQuery::AddShort(uint32_t line, const Open& piece) {
  Open& open = open_[line - part_at_];
  if (open.count == 0 || open.x >> kUnitBits != piece.x >> kUnitBits) {
    Flush(line);
    open = piece;
    return;
  }
  open.end = std::max(open.end, piece.end);
  open.busy += piece.busy;
  open.count += piece.count;
  open.one = false;
  if (piece.longest > open.longest) {
    open.longest = piece.longest;
    open.row = piece.row;
  }
  if (piece.name == open.name) {
    open.name_busy += piece.name_busy;
  } else if (piece.name_busy > open.name_busy) {
    open.name = piece.name;
    open.name_busy = piece.name_busy;
    open.event_class = piece.event_class;
  }
}

void TileQuery::Flush(uint32_t line) {
  Open& open = open_[line - part_at_];
  if (open.count == 0) return;
  TileRecord record;
  record.x = static_cast<uint16_t>(open.x & (kTileUnits - 1));
  record.w =
      static_cast<uint16_t>(std::clamp<uint64_t>(open.end - open.x, 1, 65535));
  record.row = open.row;
  record.kind = open.event_class;
  record.count = static_cast<uint16_t>(std::min<uint32_t>(open.count, 65535));
  if (!open.one) {
    record.fill = FillOf(open.busy, (open.end - open.x) << kBusyBits);
    if (open.name_busy * 2 < open.busy) record.kind |= kTileMixed;
  }
  record.name = LocalName(open.name);
  Put(open.x >> kTileUnitBits, line, record);
  open.count = 0;
}

// Over all tiles that it reaches into.
void TileQuery::AddLong(uint32_t line, uint64_t x, uint64_t end, bool before,
                        Row row, uint32_t name, uint8_t event_class) {
  Flush(line);
  TileRecord record;
  record.row = row;
  record.name = LocalName(name);
  end = std::max(end, x + 1);
  const uint64_t last =
      std::min<uint64_t>((end - 1) >> kTileUnitBits, tile_count_ - 1);
  for (uint64_t tile = x >> kTileUnitBits; tile <= last; ++tile) {
    const uint64_t tile_x = tile << kTileUnitBits;
    const uint64_t from = std::max(x, tile_x) - tile_x;
    const uint64_t to = std::min(end - tile_x, kTileUnits);
    record.x = static_cast<uint16_t>(from);
    record.w = static_cast<uint16_t>(std::clamp<uint64_t>(to - from, 1, 65535));
    record.kind = event_class;
    if (before || tile_x > x) record.kind |= kTileBeginsBefore;
    if (end - tile_x > kTileUnits) record.kind |= kTileEndsAfter;
    Put(tile, line, record);
  }
}

void TileQuery::Put(uint64_t tile, uint32_t line, TileRecord record) {
  if (tile >= tile_count_ || line >= kMostDepths) return;
  record.depth = static_cast<uint8_t>(line);
  record.slot = slot_;
  lines_[tile * kMostDepths + line].push_back(record);
}

uint16_t TileQuery::LocalName(uint32_t name) {
  if (stamp_[name] == answer_number_) return local_[name];
  stamp_[name] = answer_number_;
  const size_t index = answer_.names.size();
  if (index >= kNoName) return local_[name] = kNoName;
  answer_.names.push_back(name);
  return local_[name] = static_cast<uint16_t>(index);
}

uint64_t TileQuery::UnitsDown(int64_t ns) const {
  const auto value = static_cast<uint64_t>(ns);
  return k_ >= kUnitBits ? value >> (k_ - kUnitBits)
                         : value << (kUnitBits - k_);
}

uint64_t TileQuery::UnitsUp(int64_t ns) const {
  const auto value = static_cast<uint64_t>(ns);
  if (k_ <= kUnitBits) return value << (kUnitBits - k_);
  const int shift = k_ - kUnitBits;
  return (value >> shift) + ((value & ((uint64_t{1} << shift) - 1)) != 0);
}

Row TileQuery::LowerBound(Row first, Row last, int64_t time) const {
  const auto starts = trace_.start_ns().subspan(first, last - first);
  const auto found = std::partition_point(
      starts.begin(), starts.end(),
      [&](int64_t start) { return start - pyramid_.origin_ns() < time; });
  return first + static_cast<Row>(found - starts.begin());
}

}  // namespace stepscope
