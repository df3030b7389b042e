// SPDX-License-Identifier: Apache-2.0
#include "server/events/event_facts.h"

#include <algorithm>
#include <cmath>

#include "analysis/kernel_use.h"
#include "analysis/views/event_argument.h"
#include "base/text.h"

namespace stepscope::server {
namespace {

// A trace may state any number.
int64_t Whole(double bytes) {
  return static_cast<int64_t>(std::min(bytes, 9e18));
}

}  // namespace

std::vector<EventFact> FactsOf(const Trace& trace, Row row) {
  std::vector<EventFact> facts;
  const Track& track = trace.tracks()[trace.track()[row]];
  if (track.kind != TrackKind::kStream) return facts;
  const std::string raw = trace.raw_args(row);
  const auto text = [&](std::string_view label, std::string_view key) {
    std::string value = ArgumentText(trace, row, raw, key);
    if (!value.empty()) facts.push_back({label, std::move(value)});
  };
  const auto number = [&](std::string_view key) {
    const auto value = ArgumentNumber(trace, row, raw, key);
    return value && std::isfinite(*value) && *value >= 0 ? value : std::nullopt;
  };
  facts.push_back({"Stream", std::to_string(track.id)});
  // Recorders write 0 where they could not tell.
  const auto occupancy = KernelUseReader(trace).Read(row).occupancy;
  if (occupancy.value_or(0) > 0)
    facts.push_back(
        {"Occupancy (estimate)", Format("%.0f %%", *occupancy * 100)});
  text("Grid", "grid");
  text("Block", "block");
  text("Registers per thread", "registers per thread");
  if (const auto shared = number("shared memory"))
    facts.push_back({"Shared memory", BytesText(Whole(*shared))});
  if (const auto bytes = number("bytes")) {
    facts.push_back({"Bytes", BytesText(Whole(*bytes))});
    // Bytes per nanosecond are gigabytes per second.
    if (const int64_t dur = trace.dur_ns()[row]; dur > 0)
      facts.push_back({"Bandwidth",
                       Format("%.2f GB/s", *bytes / static_cast<double>(dur))});
  }
  return facts;
}

}  // namespace stepscope::server
