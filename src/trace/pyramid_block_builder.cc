// SPDX-License-Identifier: Apache-2.0
#include "trace/pyramid_block_builder.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace stepscope {
namespace {

// The first level that is kept has at most one record for so many rows: below
// it, rows are read, and more levels would cost more memory than they are
// worth. From there on, nearly every level is kept, so that a query copies
// boxes instead of folding them.
constexpr double kFirstShrink = 3.2;
constexpr double kNextShrink = 1.6;
// Levels of fewer records than this save nothing.
constexpr uint32_t kFewRecords = 32;

// The first level at which a duration is shorter than a bucket.
int ShortFrom(int64_t dur_ns) {
  return 64 - std::countl_zero(static_cast<uint64_t>(dur_ns));
}

// The first level at which two events are one mark: both are shorter than a
// bucket, and begin in the same.
uint8_t MergeFrom(int64_t start_a, int64_t dur_a, int64_t start_b,
                  int64_t dur_b) {
  const int level = ShortFrom((start_a ^ start_b) | dur_a | dur_b);
  return static_cast<uint8_t>(std::min(level, kMaxLevel + 1));
}

template <typename T>
std::byte* Put(std::byte* to, std::span<const T> values) {
  if (!values.empty()) std::memcpy(to, values.data(), values.size_bytes());
  return to + values.size_bytes();
}

}  // namespace

PyramidBlockBuilder::PyramidBlockBuilder(const Trace& trace, int64_t origin_ns,
                                         const PyramidClasses& classes)
    : start_ns_(trace.start_ns()),
      dur_ns_(trace.dur_ns()),
      name_(trace.name()),
      type_(trace.type()),
      depth_(trace.nesting().depth.view()),
      origin_ns_(origin_ns),
      classes_(classes) {}

PyramidBlockBytes PyramidBlockBuilder::Build(Row first, Row last) {
  first_ = first;
  last_ = last;
  SortIntoLines();
  FindMerges();
  ChooseLevels();
  if (level_count_ > 0)
    for (uint32_t line = 0; line < line_end_.size(); ++line) WriteLine(line);
  return Joined();
}

void PyramidBlockBuilder::SortIntoLines() {
  const std::span<const uint32_t> depth =
      depth_.subspan(first_, last_ - first_);
  line_end_.clear();
  for (const uint32_t line : depth) {
    if (line >= line_end_.size()) line_end_.resize(line + 1, 0);
    ++line_end_[line];
  }
  uint32_t at = 0;
  for (uint32_t& end : line_end_) {
    const uint32_t count = end;
    end = at;  // its begin, until its rows are put there
    at += count;
  }
  order_.resize(depth.size());
  for (uint32_t i = 0; i < depth.size(); ++i)
    order_[line_end_[depth[i]]++] = static_cast<uint16_t>(i);
}

void PyramidBlockBuilder::FindMerges() {
  merges_.fill(0);
  merges_from_.resize(order_.size());
  const int64_t* const start = start_ns_.data() + first_;
  const int64_t* const dur = dur_ns_.data() + first_;
  uint32_t i = 0;
  for (const uint32_t end : line_end_) {
    if (i == end) continue;
    merges_from_[i] = kMaxLevel + 1;  // the first of a line
    ++merges_[kMaxLevel + 1];
    int64_t start_before = start[order_[i]] - origin_ns_;
    int64_t dur_before = dur[order_[i]];
    for (++i; i < end; ++i) {
      const int64_t start_here = start[order_[i]] - origin_ns_;
      const int64_t dur_here = dur[order_[i]];
      const uint8_t from =
          MergeFrom(start_before, dur_before, start_here, dur_here);
      merges_from_[i] = from;
      ++merges_[from];
      start_before = start_here;
      dur_before = dur_here;
    }
  }
}

void PyramidBlockBuilder::ChooseLevels() {
  // So that the number of a tile fits into 32 bits.
  const int64_t last_start = start_ns_[last_ - 1] - origin_ns_;
  const int min_level = std::max(0, ShortFrom(last_start) - (32 + kTileBits));
  uint32_t below = last_ - first_;
  uint32_t records = below;
  level_count_ = 0;
  for (int k = 0; k <= kMaxLevel && below > kFewRecords; ++k) {
    records -= merges_[static_cast<size_t>(k)];
    const double shrink = level_count_ == 0 ? kFirstShrink : kNextShrink;
    if (k < min_level || records * shrink > below) continue;
    if (levels_.size() == level_count_) levels_.emplace_back();
    Level& level = levels_[level_count_++];
    level.k = k;
    level.records.clear();
    level.tiles.clear();
    level.sections.clear();
    below = records;
  }
}

void PyramidBlockBuilder::WriteLine(uint32_t line) {
  for (size_t i = 0; i < level_count_; ++i) {
    Level& level = levels_[i];
    level.sections.push_back({static_cast<uint32_t>(level.records.size()),
                              static_cast<uint32_t>(level.tiles.size())});
  }
  Level& finest = levels_[0];
  const uint32_t end = line_end_[line];
  for (uint32_t i = line == 0 ? 0 : line_end_[line - 1]; i < end; ++i) {
    const Row row = first_ + order_[i];
    const int64_t start = start_ns_[row] - origin_ns_;
    const int64_t dur = dur_ns_[row];
    const StringId name = name_[row];
    const uint8_t event_class = classes_.Of(type_[row], name);
    if (merges_from_[i] <= finest.k) {
      finest.open.AddEvent(start, dur, row, name.v, event_class);
      continue;
    }
    Flush(0);
    finest.open.Set(start, dur, row, name.v, event_class, merges_from_[i]);
  }
  for (size_t i = 0; i < level_count_; ++i) Flush(i);
}

// Writes the mark of a level that can grow no more, and adds it to the next.
void PyramidBlockBuilder::Flush(size_t index) {
  Level& level = levels_[index];
  if (level.open.count == 0) return;
  Write(level, level.open);
  if (index + 1 < level_count_) {
    Level& next = levels_[index + 1];
    if (level.open.merges_from <= next.k) {
      next.open.Add(level.open);
    } else {
      Flush(index + 1);
      next.open = level.open;
    }
  }
  level.open.count = 0;
}

void PyramidBlockBuilder::Write(Level& level, const PyramidMark& mark) {
  const int k = level.k;
  const int64_t tile = mark.start >> (k + kTileBits);
  const int64_t tile_start = tile << (k + kTileBits);
  // Units are 2^(k - 6) ns; times within a tile or two never overflow.
  const auto units = [k](uint64_t ns, uint64_t round) {
    return k >= kUnitBits
               ? (ns + (round << (k - kUnitBits)) - round) >> (k - kUnitBits)
               : ns << (kUnitBits - k);
  };
  const auto from = static_cast<uint64_t>(mark.start - tile_start);
  const uint64_t extent = static_cast<uint64_t>(mark.end - mark.start);
  const uint64_t tile_ns = uint64_t{1} << (k + kTileBits);
  const uint64_t x = units(from, 0);
  const uint64_t x1 = extent >= tile_ns ? x + 65535 : units(from + extent, 1);

  const auto index = static_cast<uint32_t>(level.records.size() -
                                           level.sections.back().record);
  if (level.tiles.size() == level.sections.back().tile ||
      level.tiles.back().index != static_cast<uint32_t>(tile)) {
    level.tiles.push_back({static_cast<uint32_t>(tile), index});
  }
  PyramidRecord& record = level.records.emplace_back();
  record.x = static_cast<uint16_t>(x);
  record.w = static_cast<uint16_t>(std::clamp<uint64_t>(x1 - x, 1, 65535));
  record.row = mark.row;
  record.count = static_cast<uint16_t>(std::min<uint32_t>(mark.count, 65535));
  const PyramidMark::Name& heaviest = mark.Heaviest();
  uint8_t share = 7;
  if (mark.count == 1) {
    record.name = heaviest.name;
    record.fill = 255;
  } else {
    share = ShareCode(heaviest.weight, mark.weight);
    if (heaviest.name > PyramidRecord::kNameMask) share = 0;
    record.name =
        (heaviest.name & PyramidRecord::kNameMask) |
        (uint32_t{LengthCode(static_cast<uint64_t>(mark.longest_ns))} << 24);
    record.fill = FillOf(mark.busy, extent);
  }
  record.kind =
      static_cast<uint8_t>(heaviest.event_class | (share << kClassBits));
}

PyramidBlockBytes PyramidBlockBuilder::Joined() const {
  const std::span<const Level> levels = std::span(levels_).first(level_count_);
  PyramidBlockBytes block;
  block.shape.depths = static_cast<uint32_t>(line_end_.size());
  block.shape.levels = static_cast<uint32_t>(levels.size());
  for (const Level& level : levels) {
    block.shape.records += static_cast<uint32_t>(level.records.size());
    block.shape.tiles += static_cast<uint32_t>(level.tiles.size());
  }
  const size_t size = block.shape.bytes();
  block.bytes = std::make_unique_for_overwrite<std::byte[]>(size);
  std::byte* to = block.bytes.get();
  for (const Level& level : levels)
    to = Put(to, std::span<const PyramidRecord>(level.records));
  PyramidBlock::Section begin;
  for (const Level& level : levels) {
    for (const PyramidBlock::Section& section : level.sections) {
      const PyramidBlock::Section at = {begin.record + section.record,
                                        begin.tile + section.tile};
      to = Put(to, std::span<const PyramidBlock::Section>(&at, 1));
    }
    begin.record += static_cast<uint32_t>(level.records.size());
    begin.tile += static_cast<uint32_t>(level.tiles.size());
  }
  if (!levels.empty())
    to = Put(to, std::span<const PyramidBlock::Section>(&begin, 1));
  for (const Level& level : levels)
    to = Put(to, std::span<const PyramidBlock::Tile>(level.tiles));
  for (const Level& level : levels) *to++ = static_cast<std::byte>(level.k);
  std::fill(to, block.bytes.get() + size, std::byte{0});
  return block;
}

}  // namespace stepscope
