// SPDX-License-Identifier: Apache-2.0
//
// The lines of a replay before they are merged: one for each thread that calls
// the device's API or steps, one for each stream. A line is in the order of
// time. Small, because a trace has millions of calls.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/event_tree.h"
#include "analysis/name_class.h"
#include "analysis/replay/graph.h"

namespace stepscope {

struct HostNode {
  int64_t at = 0;  // as ReplayNode has it
  Row row = kNoRow;
  uint32_t events = 0;  // half events since the node before
  NodeKind kind = NodeKind::kCall;
  uint8_t flags = 0;
};

// The one that hands over to another thread may go on for a moment.
inline constexpr int64_t kHandOverNs = 100'000;

// A time without any event on a thread, long enough to be a wait.
struct Silence {
  Interval range;
  uint32_t node = 0;  // of kind kJoin, which ends it
};

// A join that was tied: its thread waited for a call of another line.
struct Join {
  uint32_t node = 0;
  uint32_t line = 0;
  uint32_t call = 0;
  int64_t lag_ns = 0;   // after the call
  int64_t wait_ns = 0;  // of the gap, what was not work of its own
};

// A call that returned only when the device had done something.
struct Wait {
  uint32_t node = 0;
  uint32_t work = 0;   // index of EventTree::work()
  int64_t own_ns = 0;  // what the call takes by itself
  int64_t lag_ns = 0;  // after the work
};

struct HostLine {
  uint32_t thread = 0;
  uint32_t process = 0;
  std::vector<HostNode> nodes;
  std::vector<Silence> silences;  // that may be a wait for another thread
  std::vector<int64_t> wakes;     // the ends of all of them, ascending
  std::vector<uint32_t> calls;    // nodes of kind kCall, each ends later
  std::vector<Join> joins;        // by node
  std::vector<Wait> waits;        // by node
  std::vector<CallRun> runs;      // by node: what is no node
  RunBytes run_bytes;
};

// What host and device take where nothing holds them up.
struct TypicalDelays {
  int64_t gap_ns = 1'000;   // between two pieces of work of a full queue
  int64_t lag_ns = 5'000;   // from the start of a launch to that of its work
  int64_t call_ns = 5'000;  // a launch
};

struct StreamLine {
  uint32_t process = 0;
  std::vector<uint32_t> work;  // indices of EventTree::work(), by start
};

// Whether a silence of the thread ended within a range.
bool WokeWithin(std::span<const int64_t> wakes, int64_t after, int64_t before);

// A node of a host line, counted over all lines.
using HostIndex = uint32_t;

struct Lines {
  std::vector<HostLine> hosts;
  std::vector<HostIndex> first;  // by host line, and one more
  std::vector<StreamLine> streams;
  std::vector<HostIndex> launch;    // by work; kNoNode: not recorded
  std::vector<uint32_t> last_work;  // by host node: its work that ends last
  TypicalDelays typical;

  HostNode& node(HostIndex index, uint32_t& line) {
    while (index < first[line]) --line;
    while (index >= first[line + 1]) ++line;
    return hosts[line].nodes[index - first[line]];
  }
};

// host_lines.cc: threads by ascending number. Joins are candidates.
void MakeHostLines(const EventTree& tree, const StepTable& steps,
                   NameClasses& names, Lines& lines);
// joins.cc: which joins waited for another thread.
void FindJoins(const EventTree& tree, Lines& lines);
// stream_lines.cc: work and its launches, which get kLaunchCall.
void MakeStreamLines(const EventTree& tree, Lines& lines);
// waits.cc: which calls waited for the device: synchronising calls, copies,
// launches into a full queue.
void FindWaits(const EventTree& tree, Lines& lines);

}  // namespace stepscope
