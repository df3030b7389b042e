// SPDX-License-Identifier: Apache-2.0
#include "exporters/chrome/time_base.h"

#include <stepscope/c.h>

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

std::optional<int64_t> FindPaddleZero(const Trace& trace) {
  std::optional<int64_t> zero;
  for (const Track& track : trace.tracks()) {
    if (track.kind == TrackKind::kStream) continue;
    for (Row row = track.first; row < track.last; ++row) {
      const uint16_t type = trace.type()[row];
      if (type > STEPSCOPE_PYTHON_USER_DEFINED ||
          type == STEPSCOPE_CUDA_RUNTIME ||
          (type >= STEPSCOPE_KERNEL && type <= STEPSCOPE_MEMSET))
        continue;
      zero = std::min(zero.value_or(kNever), trace.start_ns()[row]);
      break;  // rows are ordered
    }
  }
  return zero;
}

}  // namespace stepscope::chrome
