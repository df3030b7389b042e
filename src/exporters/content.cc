// SPDX-License-Identifier: Apache-2.0
#include "exporters/content.h"

#include <algorithm>
#include <string_view>

namespace stepscope {
namespace {

constexpr std::string_view kNames[] = {
    "counters",
    "memory events",
    "flows",
    "launch links",
    "other links",
    "arguments",
    "host events",
    "points in time",
    "metadata of processes",
    "losses and open scopes of threads",
    "the ledger",
    "more than one process",
    "absolute time",
    "the recorded window",
};

}  // namespace

uint32_t ContentOf(const Trace& trace) {
  uint32_t content = 0;
  const auto add = [&](Content what, bool has) {
    if (has) content |= what;
  };
  add(kCounters, !trace.counters().empty());
  add(kMemoryEvents, !trace.memory().empty());
  add(kFlows, !trace.flows().empty());
  for (const Link& link : trace.links())
    content |= link.space == LinkSpace::kCorrelation ? kLaunches : kOtherLinks;
  add(kArguments, !trace.args().empty() || trace.has_raw_args());
  for (const Track& track : trace.tracks())
    add(kHostEvents,
        track.kind != TrackKind::kStream && track.first != track.last);
  for (const uint16_t flags : trace.flags())
    add(kInstants, (flags & kEventInstant) != 0);
  for (const Process& process : trace.processes())
    add(kMetadata, !process.metadata.empty());
  for (const ThreadReport& thread : trace.threads())
    add(kLosses, !thread.dropped.empty() || !thread.open_scopes.empty());
  add(kLedger,
      !trace.ledger().repaired().empty() || !trace.ledger().rejected().empty());
  add(kSeveral, trace.processes().size() > 1);
  add(kEpoch, trace.clock().epoch_known);
  int64_t first = INT64_MAX;
  int64_t last = INT64_MIN;
  for (Row row = 0; row < trace.size(); ++row) {
    first = std::min(first, trace.start_ns()[row]);
    last = std::max(last, trace.end_ns(row));
  }
  add(kWindow, first != trace.begin_ns() || last != trace.end_ns());
  return content;
}

std::string ContentNames(uint32_t content) {
  std::string list;
  for (size_t i = 0; i < std::size(kNames); ++i) {
    if ((content >> i & 1) == 0) continue;
    if (!list.empty()) list += ", ";
    list += kNames[i];
  }
  return list;
}

}  // namespace stepscope
