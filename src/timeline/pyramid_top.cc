// SPDX-License-Identifier: Apache-2.0
#include "timeline/pyramid_top.h"

#include <algorithm>
#include <bit>

namespace stepscope {
namespace {

// Of one block, all lines together.
constexpr uint64_t kBoxes = 1536;

}  // namespace

int PyramidTopLevel(const Trace& trace, std::span<const PyramidBlock> blocks) {
  const Row first = blocks.front().first();
  const Row last = blocks.back().last();
  uint32_t deepest = 0;
  for (const uint32_t depth :
       trace.nesting().depth.view().subspan(first, last - first))
    deepest = std::max(deepest, depth);
  const uint64_t buckets =
      blocks.size() * std::max<uint64_t>(kBoxes / (uint64_t{deepest} + 1), 1);
  const auto span = static_cast<uint64_t>(trace.start_ns()[last - 1] -
                                          trace.start_ns()[first]);
  return std::min(kMaxLevel, static_cast<int>(std::bit_width(span / buckets)));
}

}  // namespace stepscope
