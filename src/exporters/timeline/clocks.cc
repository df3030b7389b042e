// SPDX-License-Identifier: Apache-2.0
#include "exporters/timeline/clocks.h"

#include <algorithm>

#include "trace/job/clock_placement.h"

namespace stepscope::timeline {
namespace {

// Up to here a double holds microseconds with three decimals exactly.
constexpr int64_t kExactNs = int64_t{1} << 52;

struct Extent {
  int64_t first = INT64_MAX;
  int64_t last = INT64_MIN;
};

Extent ExtentOf(const Trace& trace) {
  Extent extent;
  const auto add = [&](int64_t time_ns) {
    extent.first = std::min(extent.first, time_ns);
    extent.last = std::max(extent.last, time_ns);
  };
  for (Row row = 0; row < trace.size(); ++row) {
    add(trace.start_ns()[row]);
    add(trace.end_ns(row));
  }
  for (const MemoryEvent& event : trace.memory()) add(event.time_ns);
  if (extent.first > extent.last) return {0, 0};
  return extent;
}

void AddNote(std::span<const LabelledTrace> traces, bool moved,
             std::vector<std::string>& notes) {
  std::string labels;
  size_t count = 0;
  for (const LabelledTrace& item : traces) {
    if (item.trace->clock().epoch_known || item.clock) continue;
    if (count++ > 0) labels += ", ";
    labels += item.label;
  }
  const bool one = count == 1;
  notes.push_back(
      "clocks are not aligned: " + labels +
      (one ? " states no absolute time and " : " state no absolute time and ") +
      (moved ? one ? "begins where the first of the others begins"
                   : "begin where the first of the others begins"
             : "keep their own"));
}

}  // namespace

Clocks AlignClocks(std::span<const LabelledTrace> traces,
                   std::vector<std::string>& notes) {
  Clocks clocks;
  std::vector<Extent> extents;
  std::vector<ClockFacts> facts;
  size_t known = 0;
  for (const LabelledTrace& item : traces) {
    const Trace& trace = *item.trace;
    extents.push_back(ExtentOf(trace));
    facts.push_back(
        {{trace.epoch_ns(), trace.clock().epoch_known}, extents.back().first});
    known += trace.clock().epoch_known || item.clock;
  }
  const bool some = known > 0 && known < traces.size();
  for (const PlacedClock& placed : PlaceClocks(facts))
    clocks.maps.push_back(ClockMap::Shift(placed.epoch.ns));
  if (traces.size() > 1 && known < traces.size()) AddNote(traces, some, notes);

  int64_t first = INT64_MAX;
  int64_t last = INT64_MIN;
  for (size_t i = 0; i < traces.size(); ++i) {
    if (traces[i].clock) clocks.maps[i] = *traces[i].clock;
    first = std::min(first, clocks.maps[i](extents[i].first));
    last = std::max(last, clocks.maps[i](extents[i].last));
  }
  if (!traces.empty() && last >= kExactNs) clocks.base_ns = first;
  return clocks;
}

}  // namespace stepscope::timeline
