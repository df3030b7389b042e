// SPDX-License-Identifier: Apache-2.0
#include "exporters/arrows.h"

#include <algorithm>

namespace stepscope {

Row EnclosingRow(const Trace& trace, const Track& track, int64_t time_ns) {
  const auto starts =
      trace.start_ns().subspan(track.first, track.last - track.first);
  const auto after = std::upper_bound(starts.begin(), starts.end(), time_ns);
  if (after == starts.begin()) return kNoRow;
  Row row = track.first + static_cast<Row>(after - starts.begin()) - 1;
  while (row != kNoRow && trace.end_ns(row) < time_ns)
    row = trace.nesting().parent[row];
  return row;
}

bool IsDeviceRow(const Trace& trace, Row row) {
  return trace.tracks()[trace.track()[row]].kind == TrackKind::kStream;
}

std::string_view LinkKey(LinkSpace space) {
  switch (space) {
    case LinkSpace::kCorrelation:
      return "correlation id";
    case LinkSpace::kExternal:
      return "External id";
    case LinkSpace::kGraphNode:
      return "graph node id";
    case LinkSpace::kSequence:
      return "Sequence number";
  }
  return "link id";
}

std::vector<Link> LinksByRow(const Trace& trace) {
  std::vector<Link> links(trace.links().begin(), trace.links().end());
  std::erase_if(links, [](const Link& link) { return link.row == kNoRow; });
  std::stable_sort(links.begin(), links.end(),
                   [](const Link& a, const Link& b) { return a.row < b.row; });
  return links;
}

}  // namespace stepscope
