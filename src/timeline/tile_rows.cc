// SPDX-License-Identifier: Apache-2.0
#include "timeline/tile_rows.h"

#include <algorithm>

#include "timeline/pyramid_mark.h"
#include "timeline/tile_fold.h"

namespace stepscope {

struct TileRows::Columns {
  Columns(const Pyramid& pyramid, TileNames& names)
      : starts(pyramid.trace().start_ns().data()),
        durations(pyramid.trace().dur_ns().data()),
        names_of(pyramid.trace().name().data()),
        class_of(pyramid.class_of()),
        number(names) {}

  const int64_t* const starts;
  const int64_t* const durations;
  const StringId* const names_of;
  const PyramidClassOf class_of;
  const TileNames::Lookup number;
};

TileRows::TileRows(const Pyramid& pyramid)
    : pyramid_(pyramid), trace_(pyramid.trace()) {}

void TileRows::Begin(const TileWindow& window, const TilePart& part,
                     TileNames& names) {
  window_ = window;
  part_ = part;
  names_ = &names;
  numbers_ = 0;
  if (lines_.size() < part.depths) lines_.resize(part.depths);
  for (uint32_t i = 0; i < part.depths; ++i) {
    Line& line = lines_[i];
    line.where = TileRecord::Line(part.slot, part.at + i);
    line.records.clear();
    line.runs.clear();
    line.first_run.clear();
  }
}

size_t TileRows::Add(Row first, Row last) {
  for (Line& line : std::span(lines_).first(part_.depths)) {
    line.open.bucket = kNone;
    line.tile = kNoTile;
    line.first_run.push_back(static_cast<uint32_t>(line.runs.size()));
  }
  const auto add = [&]<typename DepthOf>(DepthOf depth_of) {
    if (window_.k < kUnitBits)
      AddRows<true>(first, last, depth_of);
    else
      AddRows<false>(first, last, depth_of);
  };
  if (first < last && pyramid_.lines(part_.track) == TrackLines::kBoth) {
    LineDepths places(trace_, first);
    add([&, kind = part_.kind](Row row) {
      const LinePlace place = places.Next(row);
      return place.kind == kind ? place.depth : UINT32_MAX;
    });
  } else {
    add([depth = trace_.nesting().depth.data()](Row row) {
      return depth[row];
    });
  }
  return numbers_++;
}

void TileRows::BeginRun(Line& line, uint32_t tile) {
  line.tile = tile;
  line.runs.push_back({tile, static_cast<uint32_t>(line.records.size())});
}

// Events of a bucket or more are boxes of their own; shorter ones that begin in
// one bucket are one.
template <bool kFine, typename DepthOf>
void TileRows::AddRows(Row first, Row last, DepthOf depth_of) {
  const Columns columns(pyramid_, *names_);
  const int64_t begin = window_.origin + window_.begin;
  const int k = window_.k;
  const int up = kFine ? kUnitBits - k : 0;
  const int down = kFine ? 0 : k - kUnitBits;
  const uint64_t round = (uint64_t{1} << down) - 1;
  const uint32_t first_depth = part_.first_depth;
  const uint32_t depths = part_.depths;
  Line* const lines = lines_.data();
  for (Row row = first; row < last; ++row) {
    // Those that are less deep wrap around and are too large as well.
    const uint32_t number = depth_of(row) - first_depth;
    if (number >= depths) continue;
    Line& line = lines[number];
    const auto from = static_cast<uint64_t>(columns.starts[row] - begin);
    const int64_t dur = columns.durations[row];
    const uint64_t bucket = from >> k;
    const bool is_long = static_cast<uint64_t>(dur) >> k != 0;
    // One branch, not two: each is as good as random.
    if ((bucket == line.open.bucket) & !is_long) {
      Join<kFine>(line, row, dur, columns);
      continue;
    }
    const uint64_t units = (from << up) >> down;
    const uint64_t end =
        (((from + static_cast<uint64_t>(dur)) << up) + round) >> down;
    const auto tile = static_cast<uint32_t>(units >> kTileUnitBits);
    if (tile != line.tile) BeginRun(line, tile);
    const uint64_t x = units & (kTileUnits - 1);
    line.open.bucket = bucket | (uint64_t{0} - uint64_t{is_long});  // or kNone
    if (is_long & (x + (end - units) > kTileUnits)) {
      line.runs.push_back({tile, static_cast<uint32_t>(line.records.size()),
                           static_cast<uint32_t>(x), row});
      line.tile = kNoTile;
      continue;
    }
    line.open.units = static_cast<uint32_t>(units);
    line.open.count = 1;
    line.open.first = row;
    const uint64_t w = std::clamp<uint64_t>(end - units, 1, 65535);
    TileRecord::Put(line.records.Grow(1), x, w, row,
                    columns.number(columns.names_of[row].v),
                    columns.class_of(row), 1, 255, line.where);
  }
}

// One more event in the last box: its record is written anew.
template <bool kFine>
void TileRows::Join(Line& line, Row row, int64_t dur, const Columns& columns) {
  Open& open = line.open;
  if (open.count == 1) {
    open.longest = open.named = open.first;
    open.longest_ns = columns.durations[open.first];
    open.weight = static_cast<uint64_t>(open.longest_ns) + 1;
    open.name_weight = open.weight;
  }
  ++open.count;
  const auto its = static_cast<uint64_t>(dur) + 1;
  open.weight += its;
  const bool longer = dur > open.longest_ns;
  open.longest = Choose(longer, row, open.longest);
  open.longest_ns = std::max(open.longest_ns, dur);
  if (columns.names_of[row] == columns.names_of[open.named]) {
    open.name_weight += its;
  } else {
    const bool more = its > open.name_weight;
    open.named = Choose(more, row, open.named);
    open.name_weight = std::max(open.name_weight, its);
  }
  const int up = kFine ? kUnitBits - window_.k : 0;
  const int down = kFine ? 0 : window_.k - kUnitBits;
  // On a line, the last to begin is the last to end.
  const auto end = static_cast<uint64_t>(columns.starts[row] + dur -
                                         window_.origin - window_.begin);
  const uint64_t round = (uint64_t{1} << down) - 1;
  const uint64_t w = std::clamp<uint64_t>(
      (((end << up) + round) >> down) - open.units, 1, 65535);
  const auto busy = static_cast<uint32_t>(
      ((open.weight - open.count) << (up + kBusyBits)) >> down);
  const bool mixed = open.name_weight * 2 < open.weight;
  TileRecord::Put(line.records.last(), open.units & (kTileUnits - 1), w,
                  open.longest, columns.number(columns.names_of[open.named].v),
                  columns.class_of(open.named) | uint32_t{mixed} * kTileMixed,
                  std::min<uint32_t>(open.count, 65535),
                  TileFill(busy, static_cast<uint32_t>(w)), line.where);
}

void TileRows::Write(size_t number, uint32_t line, TileWriter& writer) const {
  const Line& of = lines_[line];
  const size_t last = number + 1 < of.first_run.size()
                          ? of.first_run[number + 1]
                          : of.runs.size();
  const std::span<const TileRecord> records = of.records.view();
  for (size_t i = of.first_run[number]; i < last; ++i) {
    const Run& run = of.runs[i];
    if (run.row != kNoRow) {
      writer.AddLong(run.tile, run.x, run.row, pyramid_.class_of(run.row));
      continue;
    }
    const size_t end =
        i + 1 < of.runs.size() ? of.runs[i + 1].first : records.size();
    writer.Append(run.tile, records.subspan(run.first, end - run.first));
  }
}

}  // namespace stepscope
