// SPDX-License-Identifier: Apache-2.0
#include "trace/tile_rows.h"

#include <algorithm>

namespace stepscope {

void TileRows::Begin(const TileWindow& window, LineKind kind,
                     uint32_t first_depth, uint32_t depths) {
  window_ = window;
  kind_ = kind;
  first_depth_ = first_depth;
  depths_ = depths;
  lines_.clear();
  size_ = 0;
}

void TileRows::FindLines(const Trace& trace, TrackLines lines, Row first,
                         Row last) {
  const size_t count = last - first;
  if (line_of_.size() < count) line_of_.resize(count);
  uint32_t* const line_of = line_of_.data();
  Filling* const filling = lines_.data() + lines_.size() - (depths_ + 1);
  const auto put = [&](size_t i, uint32_t depth) {
    // Those that are less deep wrap around and are too large as well.
    const uint32_t line = std::min(depth - first_depth_, depths_);
    line_of[i] = line;
    ++filling[line].rows;
  };
  if (lines == TrackLines::kBoth && count > 0) {
    LineDepths places(trace, first);
    for (size_t i = 0; i < count; ++i) {
      const LinePlace place = places.Next(first + static_cast<Row>(i));
      put(i, place.kind == kind_ ? place.depth : UINT32_MAX);
    }
  } else {
    const uint32_t* const depth = trace.nesting().depth.data() + first;
    for (size_t i = 0; i < count; ++i) put(i, depth[i]);
  }
}

// Events of a bucket or more are boxes of their own; shorter ones that begin in
// one bucket are one. That is as good as random where it matters, so there is
// no branch for it.
size_t TileRows::Add(const Trace& trace, TrackLines lines, Row first,
                     Row last) {
  const size_t number = lines_.size() / (depths_ + 1);
  const size_t count = last - first;
  lines_.resize(lines_.size() + depths_ + 1);
  Filling* const filling = lines_.data() + number * (depths_ + 1);
  FindLines(trace, lines, first, last);
  Reserve(size_ + count + depths_ + 1);
  for (uint32_t line = 0; line <= depths_; ++line) {
    filling[line].first = static_cast<uint32_t>(size_);
    size_ += filling[line].rows + 1;  // and the end
    filling[line].rows = 0;
    filling[line].bucket = kNone;
  }
  const int64_t begin = window_.origin + window_.begin;
  const int64_t* const starts = trace.start_ns().data() + first;
  const int64_t* const durations = trace.dur_ns().data() + first;
  const uint32_t* const line_of = line_of_.data();
  Row* const rows = rows_.get();
  uint32_t* const heads = heads_.get();
  const int k = window_.k;
  for (size_t i = 0; i < count; ++i) {
    Filling& line = filling[line_of[i]];
    const uint64_t bucket = static_cast<uint64_t>(starts[i] - begin) >> k;
    const uint32_t is_short =
        static_cast<uint64_t>(durations[i]) >> k == 0 ? 1 : 0;
    rows[line.first + line.rows] = first + static_cast<Row>(i);
    heads[line.first + line.boxes] = line.rows;
    ++line.rows;
    line.boxes += uint32_t{bucket != line.bucket} | (is_short ^ 1);
    line.bucket = bucket | (uint64_t{is_short} - 1);
  }
  for (uint32_t line = 0; line <= depths_; ++line)
    heads[filling[line].first + filling[line].boxes] = filling[line].rows;
  return number;
}

TileRows::Line TileRows::line(size_t number, uint32_t line) const {
  const Filling& filled = lines_[number * (depths_ + 1) + line];
  return {rows_.get() + filled.first, heads_.get() + filled.first,
          filled.boxes};
}

void TileRows::Reserve(size_t rows) {
  if (rows <= capacity_) return;
  const size_t capacity = std::max(rows, capacity_ * 2);
  auto more_rows = std::make_unique_for_overwrite<Row[]>(capacity);
  auto more_heads = std::make_unique_for_overwrite<uint32_t[]>(capacity);
  std::copy_n(rows_.get(), size_, more_rows.get());
  std::copy_n(heads_.get(), size_, more_heads.get());
  rows_ = std::move(more_rows);
  heads_ = std::move(more_heads);
  capacity_ = capacity;
}

}  // namespace stepscope
