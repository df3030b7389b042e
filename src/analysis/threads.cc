// SPDX-License-Identifier: Apache-2.0
#include "analysis/threads.h"

#include <algorithm>
#include <tuple>

namespace stepscope {

Threads::Threads(const Trace& trace)
    : trace_(&trace), of_track_(trace.tracks().size(), kNoThread) {
  const std::vector<Track>& tracks = trace.tracks();
  for (uint32_t i = 0; i < tracks.size(); ++i) {
    const Track& track = tracks[i];
    if (track.kind != TrackKind::kThread) continue;
    // Lanes follow the track that they belong to.
    const bool lane =
        track.lane > 0 && !threads_.empty() && threads_.back().last_track == i;
    if (lane) {
      ++threads_.back().last_track;
      has_lanes_ = true;
    } else {
      threads_.push_back({track.process, track.id, track.name, i, i + 1});
    }
  }
  std::stable_sort(
      threads_.begin(), threads_.end(), [](const Thread& a, const Thread& b) {
        return std::tie(a.process, a.id) < std::tie(b.process, b.id);
      });
  for (uint32_t i = 0; i < threads_.size(); ++i) {
    std::fill(of_track_.begin() + threads_[i].first_track,
              of_track_.begin() + threads_[i].last_track, i);
  }
  if (!has_lanes_) return;
  merged_.resize(threads_.size());
  for (size_t i = 0; i < threads_.size(); ++i) {
    if (threads_[i].has_lanes()) merged_[i] = MergedRows(threads_[i]);
  }
}

std::vector<Row> Threads::MergedRows(const Thread& thread) const {
  std::vector<Row> rows;
  for (uint32_t i = thread.first_track; i < thread.last_track; ++i) {
    const Track& track = trace_->tracks()[i];
    for (Row row = track.first; row < track.last; ++row) rows.push_back(row);
  }
  const auto start = trace_->start_ns();
  const auto dur = trace_->dur_ns();
  std::stable_sort(rows.begin(), rows.end(), [&](Row a, Row b) {
    return std::tie(start[a], dur[b]) < std::tie(start[b], dur[a]);
  });
  return rows;
}

}  // namespace stepscope
