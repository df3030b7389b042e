// SPDX-License-Identifier: Apache-2.0
//
// The events of all threads, a slice of time after the other: so what has to
// be put in order over several threads is a slice, not the trace.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "analysis/event_tree.h"
#include "analysis/interval.h"

namespace stepscope {

// Calls `add(track, row)` for the events of a slice, by track and then by
// start, and `done()` after it. All of the next slice start later.
template <typename Add, typename Done>
void ForEachHostSlice(const Trace& trace, Add add, Done done) {
  // Of all threads together, about.
  constexpr Row kSliceRows = Row{1} << 14;
  constexpr Row kFewestRows = 64;
  struct Rest {
    uint32_t track = 0;
    Row next = 0;
    Row last = 0;  // one past the end
  };
  std::vector<Rest> rest;
  for (uint32_t i = 0; i < trace.tracks().size(); ++i) {
    const Track& track = trace.tracks()[i];
    if (track.kind != TrackKind::kThread || track.first == track.last) continue;
    rest.push_back({i, track.first, track.last});
  }
  const int64_t* const start = trace.start_ns().data();
  while (!rest.empty()) {
    const Row most =
        std::max(kSliceRows / static_cast<Row>(rest.size()), kFewestRows);
    int64_t end = INT64_MAX;
    for (const Rest& rows : rest)
      if (rows.last - rows.next > most)
        end = std::min(end, start[rows.next + most]);
    for (Rest& rows : rest)
      for (; rows.next < rows.last && start[rows.next] <= end; ++rows.next)
        add(rows.track, rows.next);
    std::erase_if(rest,
                  [](const Rest& rows) { return rows.next == rows.last; });
    done();
  }
}

// The length of a union of ranges that come sorted by begin, which never
// exceeds 64 bits.
class OrderedBusy {
 public:
  void Add(int64_t begin, int64_t end) {
    const int64_t from = std::max(begin, until_);
    if (end <= from) return;
    total_ += static_cast<uint64_t>(end) - static_cast<uint64_t>(from);
    until_ = end;
  }
  // What a slice collected, which is empty afterwards. `ordered` is memory to
  // work in.
  void Add(IntervalCollector& slice, IntervalSet& ordered) {
    slice.Finish(ordered);
    for (const Interval& part : ordered) Add(part.begin, part.end);
  }
  int64_t total_ns() const {
    return static_cast<int64_t>(std::min<uint64_t>(total_, INT64_MAX));
  }

 private:
  int64_t until_ = INT64_MIN;
  uint64_t total_ = 0;
};

}  // namespace stepscope
