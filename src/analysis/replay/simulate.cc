// SPDX-License-Identifier: Apache-2.0
#include "analysis/replay/simulate.h"

#include <algorithm>

#include "analysis/step_pace.h"

namespace stepscope {

void Simulate(const ReplayGraph& graph, std::span<const Cost> costs,
              std::span<const int64_t> run_ns, ReplayTimes& times) {
  const size_t count = graph.nodes.size();
  times.start.resize(count);
  times.end.resize(count);
  int64_t* const start = times.start.data();
  int64_t* const end = times.end.data();
  auto cross = graph.cross.begin();
  auto run = run_ns.begin();
  for (size_t i = 0; i < count; ++i) {
    const ReplayNode& node = graph.nodes[i];
    const Cost& cost = costs[i];
    int64_t at = cost.gap;
    if (node.prev != kNoNode)
      at += node.has(kFromStart) ? start[node.prev] : end[node.prev];
    if (node.has(kAfterRun)) at += *run++;
    if (node.other != kNoNode) {
      const int64_t ready =
          node.kind == NodeKind::kWork ? start[node.other] : end[node.other];
      at = std::max(at, ready + cost.lag);
    }
    for (; cross != graph.cross.end() && cross->node == i; ++cross)
      if (cost.lag > kNever) at = std::max(at, end[cross->from] + cross->lag);
    start[i] = at;
    end[i] = at + cost.dur;
  }
}

ReplayTimes RecordedTimes(const EventTree& tree, const ReplayGraph& graph) {
  ReplayTimes times;
  times.start.reserve(graph.nodes.size());
  times.end.reserve(graph.nodes.size());
  for (const ReplayNode& node : graph.nodes) {
    const int64_t at = SaturatingSubtract(node.at, graph.origin_ns);
    const bool lasts =
        node.kind == NodeKind::kWork || node.kind == NodeKind::kCall;
    const int64_t dur = lasts ? tree.trace().dur_ns()[node.row] : 0;
    times.start.push_back(at);
    times.end.push_back(SaturatingAdd(at, dur));
  }
  return times;
}

namespace {

// The steps [first, last) of one process.
void AddPeriods(const ReplayGraph& graph, const ReplayTimes& times,
                size_t first, size_t last, StepPeriods& periods) {
  std::vector<StepInterval> steps;
  steps.reserve(last - first);
  for (size_t i = first; i < last; ++i) {
    const ReplayStep& from = graph.steps[i];
    StepInterval step;
    step.index = from.index;
    step.warmup = from.warmup;
    step.rested = from.rested;
    step.range = {times.start[from.begin], times.end[from.end]};
    if (from.first_work != kNoNode)
      step.device = {times.start[from.first_work], times.end[from.last_work]};
    steps.push_back(step);
  }
  SetPeriods(steps);
  for (const StepInterval& step : steps) periods.push_back(step.period_ns);
}

}  // namespace

StepPeriods PeriodsOf(const ReplayGraph& graph, const ReplayTimes& times) {
  StepPeriods periods;
  periods.reserve(graph.steps.size());
  for (size_t first = 0; first < graph.steps.size();) {
    size_t last = first + 1;
    while (last < graph.steps.size() &&
           graph.steps[last].process == graph.steps[first].process)
      ++last;
    AddPeriods(graph, times, first, last, periods);
    first = last;
  }
  return periods;
}

}  // namespace stepscope
