// SPDX-License-Identifier: Apache-2.0
//
// The change "graph": what a step launches is launched at once. Host work
// between launches is gone; what a graph cannot hold stays: the loader, copies
// from the host, waits for the device.
#include <algorithm>
#include <utility>

#include "analysis/interval_search.h"
#include "analysis/kinds.h"
#include "analysis/replay/scenario.h"

namespace stepscope {
namespace {

// The launch of a graph, and of each node in it.
constexpr int64_t kGraphCallNs = 10'000;
constexpr int64_t kGraphNodeNs = 500;

// Which step of its process a node is in, for nodes in the order of time.
class StepCursor {
 public:
  StepCursor(const ReplayGraph& graph, size_t processes)
      : graph_(graph), at_(processes) {
    for (size_t i = 0; i < graph.steps.size(); ++i) {
      Range& range = at_[graph.steps[i].process];
      if (range.last == 0) range.next = i;
      range.last = i + 1;
    }
  }

  // SIZE_MAX: in none. Between two steps it is the one before.
  size_t Find(uint32_t process, int64_t time) {
    Range& range = at_[process];
    while (range.next + 1 < range.last &&
           time >= graph_.steps[range.next + 1].range.begin)
      ++range.next;
    return Check(range, time);
  }
  // The same for any order; `near` is about where it was found last.
  size_t FindNear(uint32_t process, int64_t time, size_t& near) const {
    Range range = at_[process];
    if (range.next >= range.last) return SIZE_MAX;
    const size_t first = range.next;
    range.next = std::clamp(near, first, range.last - 1);
    while (range.next > first && time < graph_.steps[range.next].range.begin)
      --range.next;
    while (range.next + 1 < range.last &&
           time >= graph_.steps[range.next + 1].range.begin)
      ++range.next;
    near = range.next;
    return Check(range, time);
  }

 private:
  struct Range {
    size_t next = 0;
    size_t last = 0;
  };

  size_t Check(const Range& range, int64_t time) const {
    if (range.next >= range.last) return SIZE_MAX;
    const Interval& step = graph_.steps[range.next].range;
    const bool is_last = range.next + 1 == range.last;
    if (time < step.begin || (is_last && time > step.end)) return SIZE_MAX;
    return range.next;
  }

  const ReplayGraph& graph_;
  std::vector<Range> at_;  // by process
};

}  // namespace

// The loader, and communication that the host does by itself (gloo, MPI).
Scenario::ThreadSets Scenario::RangesOutsideGraphs() const {
  ThreadSets sets = LoaderRanges();
  const Census& census = input_.tree.census();
  const auto count = static_cast<uint32_t>(input_.trace().strings().size());
  for (uint32_t i = 0; i < count; ++i)
    if ((census.device_types(StringId{i}) & SetOf(STEPSCOPE_KERNEL)) != 0 &&
        input_.names.collective_kernel(StringId{i}))
      return sets;  // the device communicates
  for (size_t i = 0; i < sets.size(); ++i)
    sets[i] = Union(sets[i], input_.communication.by_thread()[i]);
  return sets;
}

uint64_t Scenario::ApplyGraph(Estimate estimate) {
  const ReplayGraph& graph = input_.graph;
  ThreadSets kept = RangesOutsideGraphs();
  StepCursor steps(graph, input_.trace().processes().size());
  // The call that stands for those of a step, until the host has to wait.
  struct Segment {
    size_t step = SIZE_MAX;
    uint32_t call = kNoNode;
  };
  std::vector<Segment> segments(input_.trace().processes().size());
  uint64_t launches = 0;
  uint64_t calls = 0;
  for (uint32_t i = 0; i < count(); ++i) {
    const ReplayNode& node = graph.nodes[i];
    Cost& cost = costs_[i];
    if (!node.on_host()) {
      if (node.other == kNoNode || !IsKernel(i)) continue;
      if (!node.has(kFromStart))
        cost.gap = std::min<int64_t>(cost.gap, graph.typical_gap_ns);
      cost.lag = std::min<int64_t>(cost.lag, graph.typical_lag_ns);
      continue;
    }
    const uint32_t process = input_.tree.threads()[node.line].process;
    const size_t step = steps.Find(process, node.at);
    if (step == SIZE_MAX) continue;
    // What ends when the step begins is none of its work.
    if (node.at <= graph.steps[step].range.begin &&
        node.kind != NodeKind::kCall)
      continue;
    Segment& segment = segments[process];
    if (segment.step != step) segment = {step, kNoNode};
    if (node.kind == NodeKind::kWait) {
      if (node.has(kFullQueue))
        cost = {0, kNever, 0};
      else
        segment.call = kNoNode;
      continue;
    }
    if (node.prev != kNoNode && node.at > graph.steps[step].range.begin) {
      cost.gap =
          std::min<int64_t>(cost.gap, CoveredLength(kept[node.line], GapOf(i)));
    }
    if (node.kind == NodeKind::kJoin && node.other != kNoNode) {
      const uint32_t mate = graph.nodes[node.other].line;
      cost.lag =
          std::min<int64_t>(cost.lag, CoveredLength(kept[mate], LagOf(i)));
    }
    if (node.kind != NodeKind::kCall || node.has(kToDevice) ||
        node.has(kSyncCall) || Contains(kept[node.line], node.at))
      continue;
    if (!node.has(kLaunchCall)) {
      cost.dur = 0;
      continue;
    }
    ++launches;
    if (segment.call == kNoNode) {
      ++calls;
      segment.call = i;
      cost.dur =
          std::min<int64_t>(cost.dur, graph.typical_call_ns) + kGraphCallNs;
      continue;
    }
    cost.dur = 0;
    if (estimate != Estimate::kHopeful)
      costs_[segment.call].dur += kGraphNodeNs;
  }
  // Calls of runs launch nothing: they are gone, but for what is kept.
  part_changes_.push_back(
      [&input = input_, kept = std::move(kept),
       steps = StepCursor(graph, input_.trace().processes().size()),
       near = std::vector<size_t>(input_.tree.threads().size())](
          const RunPart& part, uint32_t line, PartTime& time) mutable {
        const uint32_t process = input.tree.threads()[line].process;
        const size_t step = steps.FindNear(process, part.at, near[line]);
        if (step == SIZE_MAX) return;
        if (part.at > input.graph.steps[step].range.begin) {
          const Interval gap{part.at - part.time.gap, part.at};
          time.gap =
              std::min<int64_t>(time.gap, CoveredLength(kept[line], gap));
        }
        if (!Contains(kept[line], part.at)) time.dur = 0;
      });
  return launches > calls ? launches : 0;
}

}  // namespace stepscope
