// SPDX-License-Identifier: Apache-2.0
//
// A flame graph: calls with the same names around them put together, threads
// and steps too. Drawn from the folded tree, which has a node per path and not
// one per event.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/event_tree.h"
#include "analysis/flat_map.h"
#include "analysis/interval.h"

namespace stepscope::server {

struct FoldedCall {
  StringId name;
  uint16_t type = 0;
  uint32_t parent = 0;  // node 0 is the root of all
  uint32_t depth = 0;
  uint64_t calls = 0;
  int64_t self_ns = 0;   // its own
  int64_t total_ns = 0;  // and of all that is inside
  Row longest = kNoRow;
};

struct FoldOptions {
  // Time of work on devices, below the calls that launched it; else the time
  // of the host.
  bool device = false;
  // Each function with its callers below it, instead of what it calls.
  bool inverted = false;
  // Of Python, modules alone; what functions take is part of what is around
  // them. Work of gradients lies below the module of their operator.
  bool modules = false;
  std::optional<Interval> range;  // on the clock of the trace; none: all
  std::vector<bool> tracks;       // of the trace, by index; empty: all
};

// Parents before their children; the first is the root. Steps are no part of
// a path, so that they are put together.
std::vector<FoldedCall> FoldCalls(const EventTree& tree,
                                  const FoldOptions& options);

// {"total", "modules", "boxes": [{"name", "class", "depth", "x", "w", "self",
// "calls", "start", "dur"}]}, widest first within their parent. `x`, `w` in ns;
// the place is that of the longest call. Too small ones are left out.
std::string FlameJson(const EventTree& tree, int64_t origin_ns,
                      const FoldOptions& options);

}  // namespace stepscope::server
