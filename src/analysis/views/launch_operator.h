// SPDX-License-Identifier: Apache-2.0
//
// The operator that a kernel counts for: by what it was captured in, else by
// its launch.
#pragma once

#include <string_view>

#include "analysis/event_tree.h"
#include "analysis/tables/rows.h"

namespace stepscope {

// The innermost operator around the launch; else whatever is around it.
inline std::string_view LaunchingOperator(const EventTree& tree,
                                          const DeviceWork& work) {
  const Trace& trace = tree.trace();
  for (const CapturedIn& event : tree.captured_in(work))
    if (event.type == STEPSCOPE_OPERATOR) return trace.str(event.name);
  for (Row row = work.owner; row != kNoRow; row = tree.parent(row))
    if (trace.type()[row] == STEPSCOPE_OPERATOR)
      return trace.str(trace.name()[row]);
  return work.owner == kNoRow ? kNoLaunchName
                              : trace.str(trace.name()[work.owner]);
}

}  // namespace stepscope
