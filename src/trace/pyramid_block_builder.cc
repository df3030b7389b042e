// SPDX-License-Identifier: Apache-2.0
#include "trace/pyramid_block_builder.h"

#include <algorithm>
#include <bit>

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
// The first level at which two times are in one bucket.
int TogetherFrom(int64_t a, int64_t b) {
  return 64 - std::countl_zero(static_cast<uint64_t>(a ^ b));
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

PyramidBlock PyramidBlockBuilder::Build(Row first, Row last) {
  block_.first_ = first;
  block_.last_ = last;
  CountMerges();
  ChooseLevels();
  if (!block_.levels_.empty()) {
    PlaceSections();
    WriteLevels();
    JoinTiles();
  }
  return std::move(block_);
}

void PyramidBlockBuilder::CountMerges() {
  struct Before {
    int64_t start = 0;
    int short_from = 0;
  };
  std::vector<Before> before;
  for (Row row = block_.first_; row < block_.last_; ++row) {
    const uint32_t depth = depth_[row];
    if (depth >= rows_.size()) {
      rows_.resize(depth + 1, 0);
      merges_.resize(depth + 1, Merges{});
      before.resize(depth + 1);
    }
    const Before now = {start(row), ShortFrom(dur_ns_[row])};
    Before& last = before[depth];
    if (rows_[depth]++ > 0) {
      const int from = std::max({TogetherFrom(last.start, now.start),
                                 last.short_from, now.short_from});
      ++merges_[depth][std::min<size_t>(from, kMaxLevel + 1)];
    }
    last = now;
  }
  block_.depths_ = static_cast<uint32_t>(rows_.size());
  const int64_t last_start = start(block_.last_ - 1);
  min_level_ = std::max(0, ShortFrom(last_start) - (32 + kTileBits));
}

void PyramidBlockBuilder::ChooseLevels() {
  uint32_t below = block_.last_ - block_.first_;
  uint32_t records = below;
  for (int k = 0; k <= kMaxLevel && below > kFewRecords; ++k) {
    for (const Merges& merges : merges_) records -= merges[k];
    const double shrink = block_.levels_.empty() ? kFirstShrink : kNextShrink;
    if (k < min_level_ || records * shrink > below) continue;
    block_.levels_.push_back(static_cast<int8_t>(k));
    below = records;
  }
  block_.levels_.shrink_to_fit();
}

void PyramidBlockBuilder::PlaceSections() {
  uint32_t at = 0;
  for (const int8_t k : block_.levels_) {
    for (uint32_t depth = 0; depth < block_.depths_; ++depth) {
      block_.sections_.push_back({at, 0});
      next_.push_back(at);
      at += rows_[depth];
      for (int i = 0; i <= k; ++i) at -= merges_[depth][i];
    }
  }
  block_.sections_.push_back({at, 0});
  block_.sections_.shrink_to_fit();
  block_.records_.resize(at);
  open_.resize(next_.size());
  tiles_.resize(next_.size());
}

void PyramidBlockBuilder::WriteLevels() {
  for (Row row = block_.first_; row < block_.last_; ++row) PushRow(row);
  for (size_t level = 0; level < block_.levels_.size(); ++level)
    for (uint32_t depth = 0; depth < block_.depths_; ++depth)
      Flush(level, depth);
}

// What Push(0) does, without a mark of one event in between.
void PyramidBlockBuilder::PushRow(Row row) {
  const int k = block_.levels_[0];
  const uint32_t depth = depth_[row];
  const int64_t from = start(row);
  const int64_t dur = dur_ns_[row];
  const uint32_t name = name_[row].v;
  const uint8_t event_class = classes_.Of(type_[row], name_[row]);
  PyramidMark& open = open_[depth];
  if (open.count > 0 && from >> k == open.start >> k &&
      static_cast<uint64_t>(dur) >> k == 0 && open.IsShort(k)) {
    open.AddEvent(from, dur, row, name, event_class);
    return;
  }
  Flush(0, depth);
  open.Set(from, dur, row, name, event_class);
}

void PyramidBlockBuilder::Push(size_t level, uint32_t depth,
                               const PyramidMark& mark) {
  const int k = block_.levels_[level];
  PyramidMark& open = open_[section(level, depth)];
  if (open.count > 0 && mark.start >> k == open.start >> k && mark.IsShort(k) &&
      open.IsShort(k)) {
    open.Add(mark);
    return;
  }
  Flush(level, depth);
  open = mark;
}

void PyramidBlockBuilder::Flush(size_t level, uint32_t depth) {
  PyramidMark& open = open_[section(level, depth)];
  if (open.count == 0) return;
  Write(level, depth, open);
  if (level + 1 < block_.levels_.size()) Push(level + 1, depth, open);
  open.count = 0;
}

void PyramidBlockBuilder::Write(size_t level, uint32_t depth,
                                const PyramidMark& mark) {
  const int k = block_.levels_[level];
  const size_t at = section(level, depth);
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

  const uint32_t index = next_[at]++;
  std::vector<PyramidBlock::Tile>& tiles = tiles_[at];
  if (tiles.empty() || tiles.back().index != static_cast<uint32_t>(tile)) {
    tiles.push_back(
        {static_cast<uint32_t>(tile), index - block_.sections_[at].record});
  }
  PyramidRecord& record = block_.records_[index];
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

void PyramidBlockBuilder::JoinTiles() {
  size_t count = 0;
  for (const auto& tiles : tiles_) count += tiles.size();
  block_.tiles_.reserve(count);
  for (size_t i = 0; i < tiles_.size(); ++i) {
    block_.sections_[i].tile = static_cast<uint32_t>(block_.tiles_.size());
    block_.tiles_.insert(block_.tiles_.end(), tiles_[i].begin(),
                         tiles_[i].end());
  }
  block_.sections_.back().tile = static_cast<uint32_t>(block_.tiles_.size());
}

}  // namespace stepscope
