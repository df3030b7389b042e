// SPDX-License-Identifier: Apache-2.0
//
// PyramidTop: the levels above some blocks of a track. A screen of seconds has
// few boxes of each block; taken from thousands of them, they would be as many
// places in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "timeline/pyramid_block.h"
#include "timeline/pyramid_mark.h"

namespace stepscope {

struct PyramidTop {
  // Blocks that have one. Fewer, which only the last of a track are, have none
  // where they are very few.
  static constexpr size_t kBlocks = 64;
  static constexpr size_t kLeastBlocks = 4;

  size_t first = 0;  // of the blocks of the track
  size_t last = 0;
  PyramidBlock block;  // wide
};

// The finest level of a top: one of its blocks has some hundred boxes there,
// fewer of each line where lines are many.
int PyramidTopLevel(const Trace& trace, std::span<const PyramidBlock> blocks);

// The marks of a block at the finest level of its top, by line.
struct PyramidTopMarks {
  uint32_t native_depths = 0;
  uint32_t python_depths = 0;
  std::vector<PyramidMark> marks;
  std::vector<uint32_t> line_end;  // by line, native ones first

  std::span<const PyramidMark> line(size_t i) const {
    const size_t first = i == 0 ? 0 : line_end[i - 1];
    return std::span(marks).subspan(first, line_end[i] - first);
  }
};

}  // namespace stepscope
