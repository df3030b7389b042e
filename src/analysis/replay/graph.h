// SPDX-License-Identifier: Apache-2.0
//
// ReplayGraph: what had to wait for what. API calls, step marks and pieces of
// device work are nodes; a node starts when its predecessors have ended, never
// at a recorded time. Nodes are in an order in which predecessors come first,
// so that a replay is one pass (simulate.h). Calls that matter to their own
// thread only are kept in runs between its nodes (call_runs.h).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/event_tree.h"
#include "analysis/name_class.h"
#include "analysis/replay/call_runs.h"
#include "analysis/replay/ns32.h"
#include "analysis/steps.h"

namespace stepscope {

inline constexpr uint32_t kNoNode = 0xffffffffu;

// Work that starts so soon after what it follows was held up by that. A longer
// gap, and a later start, are of no known cause.
inline constexpr int64_t kNextNs = 3'000;
inline constexpr int64_t kLongestLagNs = 30'000;  // after the end of the launch

enum class NodeKind : uint8_t {
  kCall,  // an API call, from its start to its end
  kMark,  // a moment of a stepping thread: a step begins or ends
  kWait,  // the end of a call that waits for the device
  kJoin,  // a thread goes on when another one has done its part
  kWork,  // a kernel, copy or set
};

enum NodeFlag : uint8_t {
  kLaunchCall = 1,     // kCall: it has device work
  kSyncCall = 2,       // kCall, kWait: its purpose is to wait
  kCopyCall = 4,       // kCall, kWait: it waits because it copies
  kFullQueue = 8,      // kWait: it waits for room in the queue of launches
  kFromStart = 16,     // kWork: `gap` counts from the start of `prev`
  kInsideLaunch = 32,  // kWork: not the first of its launch
  kToDevice = 64,      // kCall, kWait: copies from the host to the device
  kAfterRun = 128,     // of the host: a run lies between `prev` and it
};

// Times are in nanoseconds; see Costs for those that a change may alter.
struct ReplayNode {
  int64_t at = 0;            // recorded: its start; of kWait and kJoin the end
  uint32_t prev = kNoNode;   // before it on the same thread or stream
  uint32_t other = kNoNode;  // kWork: its launch; kWait: the work waited for;
                             // kJoin: the last call of the other thread
  Row row = kNoRow;          // the event
  uint32_t line = 0;         // host: index of the thread; kWork: of the stream
  uint32_t events = 0;       // half events recorded between `prev` and it
  NodeKind kind = NodeKind::kCall;
  uint8_t flags = 0;

  bool has(NodeFlag flag) const { return (flags & flag) != 0; }
  bool on_host() const { return kind != NodeKind::kWork; }
};

// What a node takes. One set per replay; changes alter a copy.
struct Cost {
  Ns32 gap;  // after the end of `prev`; without one, from time 0
  Ns32 lag;  // after `other`: of a launch its start, else its end
  Ns32 dur;
};

// Work that waited for work of another stream.
struct CrossEdge {
  uint32_t node = 0;
  uint32_t from = 0;
  int64_t lag = 0;
};

// One step of the stepping thread of a process.
struct ReplayStep {
  int64_t index = 0;
  Row row = kNoRow;
  uint32_t process = 0;
  uint32_t begin = kNoNode;  // marks
  uint32_t end = kNoNode;
  uint32_t first_work = kNoNode;  // that it launched, by recorded start
  uint32_t last_work = kNoNode;   // by recorded end
  bool warmup = false;
  bool rested = false;  // see StepInterval
  Interval range;       // on the host, as recorded
};

struct ReplayGraph {
  std::vector<ReplayNode> nodes;
  std::vector<Cost> costs;
  std::vector<CrossEdge> cross;     // by node
  std::vector<CallRun> runs;        // by node
  std::vector<int64_t> run_ns;      // by run: its parts and their gaps
  std::vector<RunBytes> run_bytes;  // by thread
  std::vector<ReplayStep> steps;    // by process, then by start
  // Without step marks: the recorded window is replayed as one step.
  bool has_steps = false;
  int64_t origin_ns = 0;        // recorded time 0 of the replay
  int64_t typical_gap_ns = 0;   // between two pieces of work of a full queue
  int64_t typical_lag_ns = 0;   // from a launch to the start of its work
  int64_t typical_call_ns = 0;  // a launch that waits for nothing
  int64_t unexplained_ns = 0;   // delay of device work that no edge explains
  uint64_t repaired = 0;        // edges that would have closed a cycle
  uint64_t graph_calls_without_work = 0;

  // When a call or piece of work ended, and a moment was; as recorded.
  int64_t RecordedEnd(uint32_t node) const {
    return SaturatingAdd(nodes[node].at, costs[node].dur);
  }
  // When the thread was done with all before a node. REQUIRES: it has `prev`.
  int64_t EndBefore(uint32_t node) const {
    return nodes[node].has(kAfterRun) ? runs[RunOf(node)].end_ns
                                      : RecordedEnd(nodes[node].prev);
  }
  // REQUIRES: kAfterRun.
  size_t RunOf(uint32_t node) const;

  // Whether a call is right before a node on its thread. REQUIRES: `prev`.
  bool IsAfterCall(uint32_t node) const {
    if (nodes[node].has(kAfterRun)) return runs[RunOf(node)].ends_with_call;
    const NodeKind before = nodes[nodes[node].prev].kind;
    return before == NodeKind::kCall || before == NodeKind::kWait;
  }

  // Calls `visit(part)` for the parts of a run in the order of time.
  template <typename Visit>
  void ForEachPart(const CallRun& run, const Trace& trace, Visit visit) const {
    const ReplayNode& node = nodes[run.node];
    const NodeKind before = nodes[node.prev].kind;
    int64_t end = RecordedEnd(node.prev);
    bool after_call = before == NodeKind::kCall || before == NodeKind::kWait;
    run_bytes[node.line].ForEach(
        run,
        [&](Row row, uint32_t events) {
          const int64_t at = trace.start_ns()[row];
          const int64_t dur = trace.dur_ns()[row];
          visit(RunPart{row, at, events, after_call, {at - end, dur}});
          end = at + dur;
          after_call = true;
        },
        [&](int64_t gap, uint32_t events) {
          end += gap;
          visit(RunPart{kNoRow, end, events, after_call, {gap, 0}});
          after_call = false;
        });
  }
};

// `names` refers to the trace of the tree.
ReplayGraph BuildReplayGraph(const EventTree& tree, const StepTable& steps,
                             NameClasses& names);

}  // namespace stepscope
