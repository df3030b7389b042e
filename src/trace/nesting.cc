// SPDX-License-Identifier: Apache-2.0
#include "trace/nesting.h"

namespace stepscope {

Nesting ComputeNesting(std::span<const int64_t> start_ns,
                       std::span<const int64_t> dur_ns,
                       const std::vector<Track>& tracks) {
  Nesting nesting;
  const size_t n = start_ns.size();
  if (!nesting.parent.Resize(n) || !nesting.depth.Resize(n) ||
      !nesting.self_ns.Resize(n))
    return {};
  Row* const parent = nesting.parent.data();
  for (const Track& track : tracks) {
    // The stack of open events is the chain of parents itself.
    Row top = kNoRow;
    for (Row row = track.first; row < track.last; ++row) {
      while (top != kNoRow && start_ns[top] + dur_ns[top] <= start_ns[row])
        top = parent[top];
      parent[row] = top;
      nesting.self_ns[row] = dur_ns[row];
      if (top != kNoRow) {
        nesting.depth[row] = nesting.depth[top] + 1;
        nesting.self_ns[top] -= dur_ns[row];
      }
      top = row;
    }
  }
  return nesting;
}

}  // namespace stepscope
