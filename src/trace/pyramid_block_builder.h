// SPDX-License-Identifier: Apache-2.0
//
// Builds the levels of one block in two passes over its rows: the first counts
// the boxes of every level, the second writes those of the levels worth
// keeping, all of them at once, into arrays of the right size.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "trace/pyramid.h"
#include "trace/pyramid_mark.h"

namespace stepscope {

class PyramidBlockBuilder {
 public:
  PyramidBlockBuilder(const Trace& trace, int64_t origin_ns,
                      const PyramidClasses& classes);

  // REQUIRES: the rows are of one track. Once per object.
  PyramidBlock Build(Row first, Row last);

 private:
  // By the level from which on an event and the one before it on its line are
  // one mark.
  using Merges = std::array<uint32_t, kMaxLevel + 2>;

  void CountMerges();
  void ChooseLevels();
  void PlaceSections();
  void WriteLevels();
  void PushRow(Row row);
  void Push(size_t level, uint32_t depth, const PyramidMark& mark);
  void Flush(size_t level, uint32_t depth);
  void Write(size_t level, uint32_t depth, const PyramidMark& mark);
  void JoinTiles();

  int64_t start(Row row) const { return start_ns_[row] - origin_ns_; }
  size_t section(size_t level, uint32_t depth) const {
    return level * block_.depths_ + depth;
  }

  const std::span<const int64_t> start_ns_;
  const std::span<const int64_t> dur_ns_;
  const std::span<const StringId> name_;
  const std::span<const uint16_t> type_;
  const std::span<const uint32_t> depth_;
  const int64_t origin_ns_;
  const PyramidClasses& classes_;
  int min_level_ = 0;  // so that the number of a tile fits into 32 bits

  PyramidBlock block_;
  std::vector<Merges> merges_;     // by depth
  std::vector<uint32_t> rows_;     // by depth
  std::vector<PyramidMark> open_;  // by level and depth
  std::vector<uint32_t> next_;     // the same: where to write
  std::vector<std::vector<PyramidBlock::Tile>> tiles_;  // the same
};

}  // namespace stepscope
