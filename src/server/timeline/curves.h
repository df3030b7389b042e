// SPDX-License-Identifier: Apache-2.0
//
// Curves of a timeline: counters, memory, and how much device work waits in
// its queues; and what of a curve a screen can show.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/event_tree.h"
#include "server/timeline/view_tracks.h"
#include "trace/trace.h"

namespace stepscope::server {

// Steps up and down; a value holds until the next one.
struct Curve {
  std::vector<int64_t> time_ns;  // in order
  std::vector<double> value;
};

inline bool IsReserved(MemoryKind kind) {
  return kind == MemoryKind::kReservedAllocate ||
         kind == MemoryKind::kReservedFree;
}

// Of a counter, or of the memory of a place.
Curve SampledCurve(const Trace& trace, const ViewTrack& track);
// Work that was launched and has not begun, on the device of a stream.
Curve QueueCurve(const EventTree& tree, uint32_t stream);

// [begin, end) in so many pixels: for each pixel with a change its smallest,
// largest and last value. The first entry is the value in force at `begin`.
std::string CurveJson(const Curve& curve, int64_t origin_ns, int64_t begin_ns,
                      int64_t end_ns, uint32_t pixels);

}  // namespace stepscope::server
