// SPDX-License-Identifier: Apache-2.0
//
// The lines of a replay before they are merged: one for each thread that calls
// the device's API or steps, one for each stream. A line is in the order of
// time.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/event_tree.h"
#include "analysis/name_class.h"
#include "analysis/replay/graph.h"
#include "analysis/step_finder.h"

namespace stepscope {

// A node of a line: by line and position.
struct LineNode {
  uint32_t line = kNoNode;
  uint32_t index = 0;
  bool known() const { return line != kNoNode; }
};

// A node that is not yet in its place.
struct DraftNode {
  int64_t key = 0;  // place in the order: when all it waits for was done
  int64_t key_launch = INT64_MIN;  // kWork: when it was launched, if recorded
  ReplayNode node;
  Cost cost;
  LineNode prev;
  LineNode other;
  LineNode cross;
  int64_t cross_lag = 0;
  // A call that waits for the device: for which work, and what the call takes
  // by itself and after the work.
  LineNode wait;
  int64_t wait_lag = 0;
  int64_t own_ns = 0;
};

// A time without any event on a thread, long enough to be a wait.
struct Silence {
  Interval range;
  uint32_t node = 0;  // the node of the line that ends it
};

struct HostLine {
  uint32_t thread = 0;
  uint32_t process = 0;
  std::vector<DraftNode> nodes;
  std::vector<Silence> silences;
  std::vector<uint32_t> calls;  // nodes of kind kCall
};

struct StreamLine {
  uint32_t process = 0;
  int64_t device = 0;
  std::vector<DraftNode> nodes;
};

// host_lines.cc: threads by ascending number; joins are candidates, which
// stand for nothing until FindJoins() has tied them.
std::vector<HostLine> MakeHostLines(const EventTree& tree,
                                    const StepTable& steps,
                                    NameClasses& names);
// joins.cc: ties every candidate to the thread that was waited for.
void FindJoins(std::vector<HostLine>& lines);

}  // namespace stepscope
