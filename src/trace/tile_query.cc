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

// As two words: half the stores.
TileRecord Packed(uint64_t x, uint64_t w, Row row, uint64_t name,
                  uint64_t depth, uint64_t kind, uint64_t count, uint64_t fill,
                  uint64_t slot) {
  static_assert(std::endian::native == std::endian::little);
  return std::bit_cast<TileRecord>(std::array<uint64_t, 2>{
      x | w << 16 | uint64_t{row} << 32,
      name | depth << 16 | kind << 24 | count << 32 | fill << 48 | slot << 56});
}

}  // namespace

TileQuery::TileQuery(const Pyramid& pyramid)
    : pyramid_(pyramid),
      trace_(pyramid.trace()),
      local_(trace_.strings().size()) {}

const TileAnswer& TileQuery::Run(int k, uint64_t first, uint32_t count,
                                 std::span<const TilePart> parts) {
  k_ = k;
  first_tile_ = first;
  ++answer_number_;
  answer_.names.clear();
  if (tiles_.size() < count) tiles_.resize(count);
  if (lines_.size() < size_t{count} * kMostDepths)
    lines_.resize(size_t{count} * kMostDepths);
  for (TileRecordBuffer& tile : tiles_) tile.clear();
  answer_.tiles = std::span(tiles_).first(count);

  // Tiles that begin after the last representable time hold nothing.
  const int tile_bits = k + kTileBits;
  const uint64_t last_tile = static_cast<uint64_t>(INT64_MAX) >> tile_bits;
  if (count == 0 || first > last_tile) return answer_;
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
      for (uint32_t depth = 0; depth < used_depths_; ++depth) {
        TileRecordBuffer& line = LineOf(tile, depth);
        tiles_[tile].Append(line.view());
        line.clear();
      }
    }
  }
  return answer_;
}

void TileQuery::RunPart(const TilePart& part) {
  const std::span<const PyramidBlock> blocks = pyramid_.blocks(part.track);
  if (blocks.empty() || part.at + part.depths > kMostDepths) return;
  used_depths_ = std::max(used_depths_, part.at + part.depths);
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
  const uint32_t at = part.at + depth - part.first_depth;
  const int level_k = block.levels()[static_cast<size_t>(level)];
  if (level_k == k_)
    AddExact(line, at);
  else
    AddFolded(line, level_k, at);
}

// The level that is asked for: boxes as they are.
void TileQuery::AddExact(const PyramidBlock::Line& line, uint32_t at) {
  const auto begin = std::partition_point(
      line.tiles.begin(), line.tiles.end(),
      [&](const PyramidBlock::Tile& t) { return t.index < first_tile_; });
  Flush(at);
  for (auto tile = begin;
       tile != line.tiles.end() && tile->index < first_tile_ + tile_count_;
       ++tile) {
    const uint64_t number = tile->index - first_tile_;
    const size_t end =
        tile + 1 == line.tiles.end() ? line.records.size() : (tile + 1)->first;
    const auto records = line.records.subspan(tile->first, end - tile->first);
    TileRecordBuffer& buffer = LineOf(number, at);
    TileRecord* out = buffer.Grow(records.size());
    for (const PyramidRecord& record : records) {
      const bool mark = record.is_mark();
      const uint32_t flags =
          mark && record.share() == 0 ? uint32_t{kTileMixed} : 0u;
      *out++ = Packed(record.x, record.w, record.row,
                      LocalName(mark ? record.mark_name() : record.name), at,
                      record.event_class() | flags, record.count, record.fill,
                      slot_);
    }
    // Only the last event of a tile can reach beyond it.
    const PyramidRecord& last = records.back();
    if (!last.is_mark() && last.w >= 64 && last.x + last.w > kTileUnits &&
        IsLong(last.row)) {
      buffer.Shrink(1);
      AddEvent(at, number << kTileUnitBits | last.x, last.row,
               last.event_class());
    }
  }
}

// From a finer level: what has come to lie in one bucket becomes one.
void TileQuery::AddFolded(const PyramidBlock::Line& line, int level_k,
                          uint32_t at) {
  const int shift = k_ - level_k;
  const uint64_t round = (uint64_t{1} << shift) - 1;
  const uint64_t first = first_tile_ << shift;
  const uint64_t last = (first_tile_ + tile_count_) << shift;
  auto tile = std::partition_point(
      line.tiles.begin(), line.tiles.end(),
      [&](const PyramidBlock::Tile& t) { return t.index < first; });
  const uint64_t short_units = uint64_t{1} << (kUnitBits + shift);
  const int unit = level_k - kUnitBits;  // logarithm of its ns
  // Kept here while it grows: in registers.
  Open open = open_[at - part_at_];
  for (; tile != line.tiles.end() && tile->index < last; ++tile) {
    const uint64_t tile_x = (tile->index - first) << kTileUnitBits;
    const size_t end =
        tile + 1 == line.tiles.end() ? line.records.size() : (tile + 1)->first;
    TileRecordBuffer* out = &LineOf(tile_x >> (kTileUnitBits + shift), at);
    for (size_t i = tile->first; i < end; ++i) {
      const PyramidRecord record = line.records[i];
      const bool mark = record.is_mark();
      const uint64_t from = tile_x + record.x;
      // Rounded outwards, so one that is nearly a bucket long may be shorter.
      if (!mark && record.w >= short_units &&
          (record.w > short_units + 1 || IsLong(record.row))) {
        open_[at - part_at_] = open;
        AddEvent(at, from >> shift, record.row, record.event_class());
        open.count = 0;
        continue;
      }
      Open piece;
      piece.x = from >> shift;
      piece.end = (from + record.w + round) >> shift;
      piece.busy = (uint64_t{record.w} * (mark ? record.fill : 256u)) >> shift;
      piece.name = mark ? record.mark_name() : record.name;
      piece.name_busy =
          (piece.busy * kLeastShare[mark ? record.share() : 8]) >> 8;
      piece.count = record.count;
      piece.row = record.row;
      piece.longest = mark
                          ? record.longest()
                          : LengthCode(unit >= 0 ? uint64_t{record.w} << unit
                                                 : uint64_t{record.w} >> -unit);
      piece.event_class = record.event_class();
      piece.one = !mark;
      if (open.count != 0 && open.x >> kUnitBits == piece.x >> kUnitBits) {
        Merge(open, piece);
        continue;
      }
      if (open.count != 0) {
        // One that is left of an earlier block may be of an earlier tile.
        const uint64_t its_tile = open.x >> kTileUnitBits;
        TileRecordBuffer& its_line =
            its_tile == piece.x >> kTileUnitBits ? *out : LineOf(its_tile, at);
        its_line.push_back(Closed(open, at));
      }
      open = piece;
    }
  }
  open_[at - part_at_] = open;
}

// A long event that begins in one of the tiles.
void TileQuery::AddEvent(uint32_t line, uint64_t x, Row row,
                         uint8_t event_class) {
  if (row >= trace_.size()) return;  // of a damaged record
  const int64_t event_end = trace_.end_ns(row) - pyramid_.origin_ns();
  AddLong(
      line, x,
      UnitsUp(std::min(event_end, end_) - begin_) + (event_end > end_ ? 1 : 0),
      false, row, trace_.name()[row].v, event_class);
}

// REQUIRES: both begin in one bucket.
void TileQuery::Merge(Open& open, const Open& piece) {
  open.end = std::max(open.end, piece.end);
  open.busy += piece.busy;
  open.count += piece.count;
  open.one = false;
  const bool longer = piece.longest > open.longest;
  open.longest = longer ? piece.longest : open.longest;
  open.row = longer ? piece.row : open.row;
  if (piece.name == open.name) {
    open.name_busy += piece.name_busy;
    return;
  }
  const bool more = piece.name_busy > open.name_busy;
  open.name = more ? piece.name : open.name;
  open.event_class = more ? piece.event_class : open.event_class;
  open.name_busy = more ? piece.name_busy : open.name_busy;
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
    Open& open = open_[depth];
    if (open.count != 0 && open.x >> kUnitBits == from >> kUnitBits) {
      Merge(open, piece);
      continue;
    }
    Flush(part.at + depth);
    open = piece;
  }
}

void TileQuery::Flush(uint32_t line) {
  Open& open = open_[line - part_at_];
  if (open.count == 0) return;
  const uint64_t tile = open.x >> kTileUnitBits;
  if (tile < tile_count_) LineOf(tile, line).push_back(Closed(open, line));
  open.count = 0;
}

TileRecord TileQuery::Closed(const Open& open, uint32_t line) {
  const uint64_t w = std::clamp<uint64_t>(open.end - open.x, 1, 65535);
  uint32_t kind = open.event_class;
  uint8_t fill = 255;
  if (!open.one) {
    fill = FillOf(open.busy, w << kBusyBits);
    if (open.name_busy * 2 < open.busy) kind |= kTileMixed;
  }
  return Packed(open.x & (kTileUnits - 1), w, open.row, LocalName(open.name),
                line, kind, std::min<uint32_t>(open.count, 65535), fill, slot_);
}

// Over all tiles that it reaches into.
void TileQuery::AddLong(uint32_t line, uint64_t x, uint64_t end, bool before,
                        Row row, uint32_t name, uint8_t event_class) {
  Flush(line);
  const uint16_t local = LocalName(name);
  end = std::max(end, x + 1);
  if (x >> kTileUnitBits == (end - 1) >> kTileUnitBits) {
    const uint64_t tile = x >> kTileUnitBits;
    if (tile >= tile_count_) return;
    LineOf(tile, line)
        .push_back(
            Packed(x & (kTileUnits - 1), std::min<uint64_t>(end - x, 65535),
                   row, local, line,
                   event_class | (before ? uint32_t{kTileBeginsBefore} : 0u), 1,
                   255, slot_));
    return;
  }
  const uint64_t last =
      std::min<uint64_t>((end - 1) >> kTileUnitBits, tile_count_ - 1);
  for (uint64_t tile = x >> kTileUnitBits; tile <= last; ++tile) {
    const uint64_t tile_x = tile << kTileUnitBits;
    const uint64_t from = std::max(x, tile_x) - tile_x;
    const uint64_t to = std::min(end - tile_x, kTileUnits);
    uint32_t kind = event_class;
    if (before || tile_x > x) kind |= kTileBeginsBefore;
    if (end - tile_x > kTileUnits) kind |= kTileEndsAfter;
    LineOf(tile, line)
        .push_back(Packed(from, std::clamp<uint64_t>(to - from, 1, 65535), row,
                          local, line, kind, 1, 255, slot_));
  }
}

uint16_t TileQuery::LocalName(uint32_t name) {
  if (name >= local_.size()) return kNoName;  // of a damaged record
  LocalId& local = local_[name];
  if (local.answer == answer_number_) return local.id;
  local.answer = answer_number_;
  const size_t index = answer_.names.size();
  if (index >= kNoName) return local.id = kNoName;
  answer_.names.push_back(name);
  return local.id = static_cast<uint16_t>(index);
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
