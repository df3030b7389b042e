// SPDX-License-Identifier: Apache-2.0
//
// Events of one thread that overlap without nesting: one begins inside another
// and outlives it. They lie on several lanes, each of which nests. Sums take
// the lanes together, and cut time where the events cross, so that a thread is
// never busy twice at once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trace/trace.h"

namespace stepscope {

// The lanes of one thread, or one track of another kind.
struct TrackRange {
  uint32_t first = 0;
  uint32_t last = 0;  // one past the end

  bool has_lanes() const { return last - first > 1; }
};

// Every track is in one of them. Lanes of a thread follow its first track.
std::vector<TrackRange> GroupLanes(const std::vector<Track>& tracks);

// The rows of all lanes, ordered by (start, -duration).
std::vector<Row> RowsInOrder(std::span<const int64_t> start_ns,
                             std::span<const int64_t> dur_ns,
                             const std::vector<Track>& tracks,
                             TrackRange lanes);

// Gives every instant to the event that began last of those that run, so that
// the sum is the time in which any of them ran. `rows` as RowsInOrder() has
// them.
void ComputeSelfOfLanes(std::span<const int64_t> start_ns,
                        std::span<const int64_t> dur_ns,
                        std::span<const Row> rows, int64_t* self_ns);

// Events of threads that end after the event in which they began. Python
// functions and other events do not count against each other: a range that a
// function begins for its caller is as it should be.
uint64_t CountOutliving(const Trace& trace);

}  // namespace stepscope
