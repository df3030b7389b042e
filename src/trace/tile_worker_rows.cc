// SPDX-License-Identifier: Apache-2.0
//
// Tiles out of the rows of a line, where no level is kept.
#include <algorithm>

#include "trace/tile_worker.h"

namespace stepscope {
namespace {

// Of several events: which is the longest, and which name has most time.
struct RowMark {
  Row longest = 0;
  Row named = 0;
  uint32_t name = 0;
  uint64_t busy = 0;
  bool mixed = false;
};

// Which of two is longer or has more time is as good as random, so there are no
// branches for it.
RowMark MarkOf(const Row* rows, uint32_t count, const int64_t* durations,
               const StringId* names) {
  RowMark mark;
  mark.longest = mark.named = rows[0];
  mark.name = names[rows[0]].v;
  int64_t longest_ns = durations[rows[0]];
  // An event counts one ns more than it took, so that those without duration
  // count too.
  auto weight = static_cast<uint64_t>(longest_ns) + 1;
  uint64_t name_weight = weight;
  for (uint32_t i = 1; i < count; ++i) {
    const Row row = rows[i];
    const int64_t dur = durations[row];
    const auto its = static_cast<uint64_t>(dur) + 1;
    weight += its;
    mark.longest = dur > longest_ns ? row : mark.longest;
    longest_ns = std::max(longest_ns, dur);
    const uint32_t its_name = names[row].v;
    if (its_name == mark.name) {
      name_weight += its;
      continue;
    }
    const bool more = its > name_weight;
    mark.named = more ? row : mark.named;
    mark.name = more ? its_name : mark.name;
    name_weight = std::max(name_weight, its);
  }
  mark.busy = weight - count;
  mark.mixed = name_weight * 2 < weight;
  return mark;
}

}  // namespace

void TileWorker::AddRows(const TileRows::Line& line) {
  const int64_t* const starts = trace_.start_ns().data();
  const int64_t* const durations = trace_.dur_ns().data();
  const StringId* const names = trace_.name().data();
  const PyramidClassOf class_of = pyramid_.class_of();
  const TileNames::Lookup number(writer_.names());
  const uint64_t where = writer_.line();
  const int64_t begin = window_.origin + window_.begin;
  const int up = window_.shift_up();
  const int down = window_.shift_down();
  const uint64_t round = (uint64_t{1} << down) - 1;
  const auto since_begin = [&](int64_t time) {
    return static_cast<uint64_t>(time - begin) << up;
  };
  TileRecord* out = nullptr;
  uint64_t tile = 0;
  const Row* rows = line.rows;
  for (size_t box = 0; box < line.boxes; ++box) {
    const uint32_t count = line.heads[box + 1] - line.heads[box];
    const Row row = rows[0];
    // On a line, the last to begin is the last to end.
    const Row last = rows[count - 1];
    const uint64_t from = since_begin(starts[row]) >> down;
    const uint64_t end =
        (since_begin(starts[last] + durations[last]) + round) >> down;
    if (out == nullptr || from >> kTileUnitBits != tile) {
      if (out != nullptr) writer_.EndTile(out);
      tile = from >> kTileUnitBits;
      out = writer_.BeginTile(static_cast<uint32_t>(tile), line.boxes - box);
    }
    const uint64_t x = from & (kTileUnits - 1);
    const uint64_t w = std::clamp<uint64_t>(end - from, 1, 65535);
    if (count > 1) {
      const RowMark mark = MarkOf(rows, count, durations, names);
      const auto busy =
          static_cast<uint32_t>((mark.busy << (up + kBusyBits)) >> down);
      TileRecord::Put(
          out++, x, w, mark.longest, number(mark.name),
          class_of(mark.named) | (mark.mixed ? uint32_t{kTileMixed} : 0u),
          std::min<uint32_t>(count, 65535),
          TileFill(busy, static_cast<uint32_t>(w)), where);
    } else if (x + (end - from) > kTileUnits &&
               window_.IsLong(durations[row])) {
      writer_.EndTile(out);
      writer_.AddLong(static_cast<uint32_t>(tile), static_cast<uint32_t>(x),
                      row, class_of(row));
      out = nullptr;
    } else {
      TileRecord::Put(out++, x, w, row, number(names[row].v), class_of(row), 1,
                      255, where);
    }
    rows += count;
  }
  if (out != nullptr) writer_.EndTile(out);
}

}  // namespace stepscope
