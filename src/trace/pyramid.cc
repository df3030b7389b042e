// SPDX-License-Identifier: Apache-2.0
#include "trace/pyramid.h"

#include <algorithm>

#include "trace/pyramid_block_builder.h"

namespace stepscope {
namespace {

// Small enough that a dense place inside a block does not matter, large enough
// that a whole track is few blocks.
constexpr Row kBlockRows = 1u << 16;

}  // namespace

int PyramidBlock::LevelFor(int k) const {
  int level = -1;
  for (const int8_t kept : levels_) {
    if (kept > k) break;
    ++level;
  }
  return level;
}

PyramidBlock::Line PyramidBlock::line(int level, uint32_t depth) const {
  const size_t at = static_cast<size_t>(level) * depths_ + depth;
  const Section& from = sections_[at];
  const Section& to = sections_[at + 1];
  return {std::span(records_).subspan(from.record, to.record - from.record),
          std::span(tiles_).subspan(from.tile, to.tile - from.tile)};
}

size_t PyramidBlock::bytes() const {
  return sizeof(*this) + levels_.capacity() * sizeof(int8_t) +
         sections_.capacity() * sizeof(Section) +
         tiles_.capacity() * sizeof(Tile) +
         records_.capacity() * sizeof(PyramidRecord);
}

Pyramid::Pyramid(const Trace& trace, const PyramidOptions& options)
    : trace_(trace),
      origin_ns_(trace.first_time_ns().value_or(0)),
      classes_(options.classes) {
  const std::vector<Track>& tracks = trace.tracks();
  struct Task {
    Row first;
    Row last;
  };
  std::vector<Task> tasks;
  for (const Track& track : tracks) {
    first_block_.push_back(tasks.size());
    for (Row row = track.first; row < track.last;) {
      const Row rows = std::min(kBlockRows, track.last - row);
      tasks.push_back({row, row + rows});
      row += rows;
    }
  }
  first_block_.push_back(tasks.size());
  blocks_.resize(tasks.size());
  (void)trace.nesting();  // once, before several threads ask
  options.executor->ForEach(tasks.size(), [&](size_t i) {
    blocks_[i] = PyramidBlockBuilder(trace, origin_ns_, classes_)
                     .Build(tasks[i].first, tasks[i].last);
  });
  depths_.assign(tracks.size(), 0);
  for (uint32_t t = 0; t < tracks.size(); ++t)
    for (const PyramidBlock& block : blocks(t))
      depths_[t] = std::max(depths_[t], block.depths());
}

std::span<const PyramidBlock> Pyramid::blocks(uint32_t track) const {
  return std::span(blocks_).subspan(
      first_block_[track], first_block_[track + 1] - first_block_[track]);
}

size_t Pyramid::bytes() const {
  size_t bytes = sizeof(*this);
  for (const PyramidBlock& block : blocks_) bytes += block.bytes();
  return bytes;
}

}  // namespace stepscope
