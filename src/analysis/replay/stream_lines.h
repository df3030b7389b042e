// SPDX-License-Identifier: Apache-2.0
//
// Device work of a replay: what each piece of it waited for.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/replay/lines.h"

namespace stepscope {

// What host and device take where nothing holds them up.
struct TypicalDelays {
  int64_t gap_ns = 1'000;   // between two pieces of work of a full queue
  int64_t lag_ns = 5'000;   // from the start of a launch to that of its work
  int64_t call_ns = 5'000;  // a launch
};

struct StreamLines {
  std::vector<StreamLine> lines;
  // By host line and node: its work that ends last.
  std::vector<std::vector<LineNode>> last_of_launch;
  TypicalDelays typical;
  int64_t unexplained_ns = 0;
};

// Ties work to the calls of `hosts`, which get kLaunches. In the result,
// `prev` and `cross` are by stream, `other` is by host line.
StreamLines MakeStreamLines(const EventTree& tree,
                            std::vector<HostLine>& hosts);

// waits.cc: sets `wait` of calls that return only when the device has done
// something: synchronising calls, copies, launches into a full queue.
void FindWaits(const StreamLines& streams, const EventTree& tree,
               std::vector<HostLine>& hosts);

}  // namespace stepscope
