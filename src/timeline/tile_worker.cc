// SPDX-License-Identifier: Apache-2.0
#include "timeline/tile_worker.h"

#include <algorithm>

#include "timeline/pyramid_mark.h"

namespace stepscope {
namespace {

constexpr uint32_t kMostDepths = 256;

}  // namespace

TileWorker::TileWorker(const Pyramid& pyramid)
    : pyramid_(pyramid),
      trace_(pyramid.trace()),
      writer_(trace_),
      rows_(pyramid) {}

void TileWorker::Run(const TileWindow& window,
                     std::span<const TilePart> parts) {
  window_ = window;
  writer_.Begin(window);
  if (window.tile_count == 0) return;
  for (const TilePart& part : parts) RunPart(part);
}

void TileWorker::RunPart(const TilePart& part) {
  if (pyramid_.blocks(part.track).empty() ||
      part.at + part.depths > kMostDepths) {
    return;
  }
  FindPieces(part);
  FindCovering(part);
  for (uint32_t i = 0; i < part.depths; ++i) {
    const uint32_t depth = part.first_depth + i;
    writer_.BeginLine(part.slot, part.at + i);
    if (const Row row = covering_[i]; row != kNoRow) {
      writer_.AddCovering(row, pyramid_.class_of(row));
    }
    for (const Piece& piece : pieces_) {
      if (piece.level < 0) {
        rows_.Write(piece.rows, i, writer_);
        continue;
      }
      if (depth >= piece.block->depths(part.kind)) continue;
      const auto line = piece.block->line(piece.level, part.kind, depth);
      const int shift = window_.k - piece.block->level(piece.level);
      if (shift == 0)
        AddExact(*piece.block, line);
      else
        AddFolded(*piece.block, line, shift);
    }
  }
}

void TileWorker::FindPieces(const TilePart& part) {
  const std::span<const PyramidBlock> blocks = pyramid_.blocks(part.track);
  const auto begins_by = [&](int64_t time) {
    return std::partition_point(
        blocks.begin(), blocks.end(), [&](const PyramidBlock& block) {
          return trace_.start_ns()[block.first()] - window_.origin < time;
        });
  };
  pieces_.clear();
  rows_.Begin(window_, part, writer_.names());
  // The block before the first that begins in here may reach into it.
  auto block = begins_by(window_.begin);
  if (block != blocks.begin()) --block;
  const std::span<const PyramidTop> tops = pyramid_.tops(part.track);
  for (const auto last = begins_by(window_.end); block < last;) {
    const auto number =
        static_cast<size_t>(block - blocks.begin()) / PyramidTop::kBlocks;
    if (number < tops.size()) {
      const PyramidTop& top = tops[number];
      if (const int level = top.block.LevelFor(window_.k); level >= 0) {
        pieces_.push_back({&top.block, level, 0});
        block = blocks.begin() + static_cast<ptrdiff_t>(top.last);
        continue;
      }
    }
    Piece piece = {&*block, block->LevelFor(window_.k), 0};
    if (piece.level < 0) {
      const Row from = LowerBound(block->first(), block->last(), window_.begin);
      const Row to = LowerBound(from, block->last(), window_.end);
      piece.rows = rows_.Add(from, to);
    }
    pieces_.push_back(piece);
    ++block;
  }
}

// Events that began before the first tile and reach into it: the last that
// began before, and those around it. Short ones belong to a mark of the tile
// before.
void TileWorker::FindCovering(const TilePart& part) {
  covering_.assign(part.depths, kNoRow);
  const std::span<const PyramidBlock> blocks = pyramid_.blocks(part.track);
  const Row first = blocks.front().first();
  const Row end = LowerBound(first, blocks.back().last(), window_.begin);
  if (end == first) return;
  const Nesting& nesting = trace_.nesting();
  around_.clear();
  for (Row row = end - 1; row != kNoRow; row = nesting.parent[row])
    around_.push_back(row);
  uint32_t depth = 0;
  for (auto at = around_.rbegin(); at != around_.rend(); ++at) {
    const Row row = *at;
    if (LineKindOf(trace_.type()[row]) != part.kind) continue;
    const uint32_t line = depth++ - part.first_depth;
    if (line < part.depths && window_.IsLong(trace_.dur_ns()[row]) &&
        trace_.end_ns(row) - window_.origin > window_.begin) {
      covering_[line] = row;
    }
  }
}

Row TileWorker::LowerBound(Row first, Row last, int64_t time) const {
  const auto starts = trace_.start_ns().subspan(first, last - first);
  const auto found = std::partition_point(
      starts.begin(), starts.end(),
      [&](int64_t start) { return start - window_.origin < time; });
  return first + static_cast<Row>(found - starts.begin());
}

}  // namespace stepscope
