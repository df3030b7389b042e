// SPDX-License-Identifier: Apache-2.0
//
// Calls that a graph makes again: the device runs what the host did once, while
// it was captured. The work counts for the operators, modules and ranges that
// it was captured in, as calls that take the host no time.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/event_tree.h"

namespace stepscope {

struct ReplayedCall {
  StringId name;
  uint16_t type = 0;
  bool nested = false;  // inside another of its name
  // An operator, and neither captured nor launched inside another.
  bool outermost_operator = false;
  Row launch = kNoRow;  // of the graph
  int64_t gpu_ns = 0;   // of the work that was captured in it
};

// In the order of the launches' rows. What the launch itself is inside has
// that work already, so events of such a name are left out.
std::vector<ReplayedCall> FindReplayedCalls(const EventTree& tree);

}  // namespace stepscope
