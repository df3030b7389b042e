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
  int64_t first = kNever;
  int64_t last = trace.end_ns();
  auto add = [&](int64_t time_ns) {
    first = std::min(first, time_ns);
    last = std::max(last, time_ns);
  };
  for (const Track& track : trace.tracks()) {
    if (track.first == track.last) continue;
    int64_t start = trace.start_ns()[track.first];  // rows are ordered
    add(start);
    add(trace.start_ns()[track.last - 1]);
    if (track.kind == TrackKind::kThread) host = std::min(host, start);
  }
  if (host == kNever) host = first;
  for (const CounterSample& sample : trace.counters()) add(sample.time_ns);
  for (const MemoryEvent& event : trace.memory()) add(event.time_ns);
  for (const Flow& flow : trace.flows()) add(flow.time_ns);
  if (first == kNever) first = trace.begin_ns();
  if (host == kNever) host = first;
  return {first, host, last};
}

}  // namespace stepscope::chrome
