// SPDX-License-Identifier: Apache-2.0
//
// The threads of a trace in ascending order, each with its lanes: events that
// overlap without nesting are on several tracks of one thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trace/trace.h"

namespace stepscope {

struct Thread {
  uint32_t process = 0;
  int64_t id = 0;
  StringId name;
  uint32_t first_track = 0;
  uint32_t last_track = 0;  // one past the end

  bool has_lanes() const { return last_track - first_track > 1; }
};

inline constexpr uint32_t kNoThread = 0xffffffffu;

// Thread-safe once made; refers to the trace. Memory: 4 bytes an event of
// threads with lanes.
class Threads {
 public:
  explicit Threads(const Trace& trace);

  size_t size() const { return threads_.size(); }
  const Thread& operator[](size_t i) const { return threads_[i]; }
  // The thread of a track, kNoThread for streams and counters.
  uint32_t of_track(uint32_t track) const { return of_track_[track]; }
  bool has_lanes() const { return has_lanes_; }

  // Calls `visit(row)` for each event of a thread ordered by (start,
  // -duration), all lanes together.
  template <typename Visit>
  void ForEachRow(size_t thread, Visit visit) const {
    const Thread& t = threads_[thread];
    const Track& track = trace_->tracks()[t.first_track];
    const bool lanes = t.has_lanes();
    const Row* const rows = lanes ? merged_[thread].data() : nullptr;
    const size_t count =
        lanes ? merged_[thread].size() : track.last - track.first;
    // One call of `visit`, so that the compiler inlines it.
    for (size_t i = 0; i < count; ++i)
      visit(lanes ? rows[i] : track.first + static_cast<Row>(i));
  }
  // The other way round: the last first.
  template <typename Visit>
  void ForEachRowBack(size_t thread, Visit visit) const {
    const Thread& t = threads_[thread];
    const Track& track = trace_->tracks()[t.first_track];
    if (t.has_lanes())
      for (size_t i = merged_[thread].size(); i-- > 0;)
        visit(merged_[thread][i]);
    else
      for (Row row = track.last; row-- > track.first;) visit(row);
  }
  // The rows in that order. REQUIRES: the thread has lanes.
  std::span<const Row> merged(size_t thread) const { return merged_[thread]; }

 private:
  const Trace* trace_;
  std::vector<Thread> threads_;
  std::vector<uint32_t> of_track_;
  std::vector<std::vector<Row>> merged_;  // by thread; of those with lanes
  bool has_lanes_ = false;
};

}  // namespace stepscope
