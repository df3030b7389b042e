// SPDX-License-Identifier: Apache-2.0
#include "exporters/chrome/time_base.h"

#include <algorithm>
#include <limits>

namespace stepscope::chrome {
namespace {

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

}  // namespace

TimeBase FindTimeBase(const Trace& trace) {
  int64_t host = kNever;
  int64_t all = kNever;
  for (const Track& track : trace.tracks()) {
    if (track.first == track.last) continue;
    int64_t start = trace.start_ns()[track.first];  // rows are ordered
    all = std::min(all, start);
    if (track.kind == TrackKind::kThread) host = std::min(host, start);
  }
  if (host == kNever) host = all;
  for (const CounterSample& sample : trace.counters())
    all = std::min(all, sample.time_ns);
  for (const MemoryEvent& event : trace.memory())
    all = std::min(all, event.time_ns);
  for (const Flow& flow : trace.flows()) all = std::min(all, flow.time_ns);
  if (all == kNever) all = trace.begin_ns();
  if (host == kNever) host = all;
  return {all, host};
}

}  // namespace stepscope::chrome
