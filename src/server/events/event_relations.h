// SPDX-License-Identifier: Apache-2.0
//
// Who an event has to do with: neighbours on its line, launches, arrows.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "server/files/open_trace.h"

namespace stepscope::server {

// The first row of a track that begins no earlier than a time.
Row LowerBound(const Trace& trace, const Track& track, int64_t time_ns);
// The events before and after on the same line; kNoRow: none.
Row PreviousOnLine(const Trace& trace, Row row);
Row NextOnLine(const Trace& trace, Row row);
// The events directly inside; at most `most` are counted.
uint64_t CountChildren(const Trace& trace, Row row, uint64_t most);
// The innermost event of a track at a time; kNoRow: none.
Row InnermostAt(const Trace& trace, uint32_t track, int64_t time_ns);

// The host event that launched a piece of device work; kNoRow: none, or not
// recorded.
Row LaunchOf(const EventTree& tree, Row row);
// Device work that was launched by a host event or inside it: the first
// `most`, by row, and how much there is.
struct LaunchedWork {
  std::vector<Row> rows;
  uint64_t count = 0;
};
LaunchedWork LaunchedBy(const EventTree& tree, Row row, size_t most);

// The step that an event belongs to, of its process; null: none.
const StepInterval* StepOf(const OpenTrace& open, Row row);

// The other end of an arrow.
struct Arrow {
  Row row = kNoRow;
  bool out = false;  // from the event to `row`
};
std::vector<Arrow> ArrowsOf(const Trace& trace, Row row, size_t most);

}  // namespace stepscope::server
