// SPDX-License-Identifier: Apache-2.0
//
// Which event a thread was in, and in nothing further inside: the time that an
// event takes by itself, as pieces in the order of time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "analysis/event_tree.h"

namespace stepscope {

struct InnermostPiece {
  Interval range;
  Row row = kNoRow;     // kNoRow: in no event
  Row before = kNoRow;  // the event inside `row` that ended last, if any
};

// Whether an event takes time of its own. Those that were concluded do not:
// what is between the operators of a forward pass belongs to what is around.
inline bool TakesTime(const Trace& trace, Row row) {
  return (trace.flags()[row] & (kEventInstant | kEventInferred)) == 0;
}

// Calls `visit(piece)` for the time of a thread from its first to its last
// event. Where events overlap without nesting, the one that began last is the
// innermost.
template <typename Visit>
void ForEachInnermost(const EventTree& tree, uint32_t thread, Visit visit) {
  const Trace& trace = tree.trace();
  struct Open {
    int64_t end = 0;
    Row row = kNoRow;
    Row last_inside = kNoRow;
  };
  std::vector<Open> open = {{INT64_MAX, kNoRow, kNoRow}};
  int64_t now = INT64_MIN;
  const auto go_to = [&](int64_t time) {
    if (time <= now) return;
    if (now != INT64_MIN)
      visit(InnermostPiece{
          {now, time}, open.back().row, open.back().last_inside});
    now = time;
  };
  const auto close_until = [&](int64_t time) {
    while (open.size() > 1 && open.back().end <= time) {
      go_to(open.back().end);
      const Row ended = open.back().row;
      open.pop_back();
      open.back().last_inside = ended;
    }
  };
  tree.threads().ForEachRow(thread, [&](Row row) {
    if (!TakesTime(trace, row)) return;
    close_until(trace.start_ns()[row]);
    go_to(trace.start_ns()[row]);
    open.push_back({tree.end_ns(row), row, kNoRow});
  });
  close_until(INT64_MAX);
}

}  // namespace stepscope
