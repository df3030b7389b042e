// SPDX-License-Identifier: Apache-2.0
#include "analysis/threads.h"

#include <algorithm>
#include <tuple>

#include "base/stable_sort.h"
#include "trace/overlap.h"

namespace stepscope {

Threads::Threads(const Trace& trace)
    : trace_(&trace), of_track_(trace.tracks().size(), kNoThread) {
  const std::vector<Track>& tracks = trace.tracks();
  for (const TrackRange& lanes : GroupLanes(tracks)) {
    const Track& track = tracks[lanes.first];
    if (track.kind != TrackKind::kThread) continue;
    threads_.push_back(
        {track.process, track.id, track.name, lanes.first, lanes.last});
    has_lanes_ = has_lanes_ || lanes.has_lanes();
  }
  StableSort(threads_.begin(), threads_.end(),
             [](const Thread& a, const Thread& b) {
               return std::tie(a.process, a.id) < std::tie(b.process, b.id);
             });
  for (uint32_t i = 0; i < threads_.size(); ++i) {
    std::fill(of_track_.begin() + threads_[i].first_track,
              of_track_.begin() + threads_[i].last_track, i);
  }
  if (!has_lanes_) return;
  merged_.resize(threads_.size());
  for (size_t i = 0; i < threads_.size(); ++i) {
    if (!threads_[i].has_lanes()) continue;
    merged_[i] = RowsInOrder(trace.start_ns(), trace.dur_ns(), tracks,
                             {threads_[i].first_track, threads_[i].last_track});
  }
}

}  // namespace stepscope
