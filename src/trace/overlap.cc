// SPDX-License-Identifier: Apache-2.0
#include "trace/overlap.h"

#include <stepscope/c.h>

#include <algorithm>
#include <limits>
#include <tuple>

namespace stepscope {

std::vector<TrackRange> GroupLanes(const std::vector<Track>& tracks) {
  std::vector<TrackRange> groups;
  bool thread = false;  // the last group is one
  for (uint32_t i = 0; i < tracks.size(); ++i) {
    const bool was_thread = thread;
    thread = tracks[i].kind == TrackKind::kThread;
    if (thread && was_thread && tracks[i].lane > 0) {
      ++groups.back().last;
    } else {
      groups.push_back({i, i + 1});
    }
  }
  return groups;
}

std::vector<Row> RowsInOrder(std::span<const int64_t> start_ns,
                             std::span<const int64_t> dur_ns,
                             const std::vector<Track>& tracks,
                             TrackRange lanes) {
  std::vector<Row> rows;
  for (uint32_t i = lanes.first; i < lanes.last; ++i) {
    for (Row row = tracks[i].first; row < tracks[i].last; ++row)
      rows.push_back(row);
  }
  std::stable_sort(rows.begin(), rows.end(), [&](Row a, Row b) {
    return std::tie(start_ns[a], dur_ns[b]) < std::tie(start_ns[b], dur_ns[a]);
  });
  return rows;
}

void ComputeSelfOfLanes(std::span<const int64_t> start_ns,
                        std::span<const int64_t> dur_ns,
                        std::span<const Row> rows, int64_t* self_ns) {
  std::vector<Row> open;  // by start; those that are over stay below others
  int64_t now = 0;
  const auto run_until = [&](int64_t until) {
    while (!open.empty()) {
      const Row top = open.back();
      const int64_t end = start_ns[top] + dur_ns[top];
      if (end > now) {
        const int64_t to = std::min(end, until);
        self_ns[top] += to - now;
        now = to;
        if (end > until) return;
      }
      open.pop_back();
    }
  };
  for (const Row row : rows) {
    run_until(start_ns[row]);
    now = start_ns[row];
    self_ns[row] = 0;
    open.push_back(row);
  }
  run_until(std::numeric_limits<int64_t>::max());
}

uint64_t CountOutliving(const Trace& trace) {
  uint64_t count = 0;
  for (const TrackRange& lanes : GroupLanes(trace.tracks())) {
    if (!lanes.has_lanes()) continue;
    std::vector<int64_t> open_ends[2];  // of functions, and of the rest
    for (const Row row :
         RowsInOrder(trace.start_ns(), trace.dur_ns(), trace.tracks(), lanes)) {
      const bool rest = trace.type()[row] != STEPSCOPE_PYTHON_FUNCTION;
      std::vector<int64_t>& ends = open_ends[rest ? 1 : 0];
      while (!ends.empty() && ends.back() <= trace.start_ns()[row])
        ends.pop_back();
      if (!ends.empty() && ends.back() < trace.end_ns(row)) ++count;
      ends.push_back(trace.end_ns(row));
    }
  }
  return count;
}

}  // namespace stepscope
