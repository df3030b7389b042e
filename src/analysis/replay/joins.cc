// SPDX-License-Identifier: Apache-2.0
//
// Which silence of a thread was a wait for another thread: the other one was
// silent too when it began, then worked, and had done its last call when the
// silence ended. So the main thread waits for autograd's thread, and that one
// for the next backward pass.
#include <algorithm>

#include "analysis/replay/lines.h"

namespace stepscope {
namespace {

// The last call of a line that ended by `time`; null if there is none.
const uint32_t* LastCallBy(const EventTree& tree, const HostLine& line,
                           int64_t time) {
  const auto after = std::partition_point(
      line.calls.begin(), line.calls.end(),
      [&](uint32_t call) { return tree.end_ns(line.nodes[call].row) <= time; });
  return after == line.calls.begin() ? nullptr : &after[-1];
}

}  // namespace

bool WokeWithin(std::span<const int64_t> wakes, int64_t after, int64_t before) {
  const auto at = std::upper_bound(wakes.begin(), wakes.end(), after);
  return at != wakes.end() && *at < before;
}

void FindJoins(const EventTree& tree, Lines& lines) {
  for (uint32_t i = 0; i < lines.hosts.size(); ++i) {
    HostLine& line = lines.hosts[i];
    for (const Silence& silence : line.silences) {
      const bool first = silence.node == 0;
      const int64_t from = silence.range.begin;
      const int64_t to = silence.range.end;
      int64_t latest = first ? INT64_MIN : from;
      Join join{silence.node, kNoNode, 0, 0, first ? 0 : to - from};
      for (uint32_t j = 0; j < lines.hosts.size(); ++j) {
        const HostLine& mate = lines.hosts[j];
        if (j == i || mate.process != line.process) continue;
        const uint32_t* const call = LastCallBy(tree, mate, to);
        if (call == nullptr) continue;
        const int64_t end = tree.end_ns(mate.nodes[*call].row);
        if (end <= latest) continue;
        if (!first &&
            !WokeWithin(mate.wakes, SaturatingSubtract(from, kHandOverNs), to))
          continue;
        latest = end;
        join.line = j;
        join.call = *call;
      }
      if (join.line == kNoNode) continue;
      join.lag_ns = SaturatingSubtract(to, latest);
      line.joins.push_back(join);
    }
  }
}

}  // namespace stepscope
