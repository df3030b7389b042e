// SPDX-License-Identifier: Apache-2.0
//
// Where arrows start and end, whatever the format draws them with.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace stepscope {

// The innermost event of the track that holds `time_ns`: the one a viewer ties
// an arrow to. kNoRow if there is none.
Row EnclosingRow(const Trace& trace, const Track& track, int64_t time_ns);

bool IsDeviceRow(const Trace& trace, Row row);

// What an argument that states such a link is called.
std::string_view LinkKey(LinkSpace space);

// Links with a row, by row.
std::vector<Link> LinksByRow(const Trace& trace);

// The links of one correlation id of one process, in the order of the table.
// Calls take(first, last) for each such run that has a call on the host and
// work on a device.
template <typename Take>
void ForEachLaunch(const Trace& trace, Take take) {
  const std::span<const Link> links = trace.links();
  for (size_t first = 0; first < links.size();) {
    const Link& head = links[first];
    size_t last = first;
    bool host = false;
    bool device = false;
    for (; last < links.size() && links[last].process == head.process &&
           links[last].space == head.space && links[last].id == head.id;
         ++last) {
      if (links[last].row == kNoRow) continue;
      (IsDeviceRow(trace, links[last].row) ? device : host) = true;
    }
    if (head.space == LinkSpace::kCorrelation && host && device)
      take(&links[first], &links[0] + last);
    first = last;
  }
}

}  // namespace stepscope
