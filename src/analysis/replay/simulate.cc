// SPDX-License-Identifier: Apache-2.0
#include "analysis/replay/simulate.h"

#include <algorithm>

namespace stepscope {

void Simulate(const ReplayGraph& graph, std::span<const Cost> costs,
              ReplayTimes& times) {
  const size_t count = graph.nodes.size();
  times.start.resize(count);
  times.end.resize(count);
  int64_t* const start = times.start.data();
  int64_t* const end = times.end.data();
  auto cross = graph.cross.begin();
  for (size_t i = 0; i < count; ++i) {
    const ReplayNode& node = graph.nodes[i];
    const Cost& cost = costs[i];
    int64_t at = cost.gap;
    if (node.prev != kNoNode) {
      at += node.has(kFromStart) ? start[node.prev] : end[node.prev];
    }
    if (node.other != kNoNode) {
      const int64_t ready =
          node.kind == NodeKind::kWork ? start[node.other] : end[node.other];
      at = std::max(at, ready + cost.lag);
    }
    for (; cross != graph.cross.end() && cross->node == i; ++cross) {
      at = std::max(at, end[cross->from] + cross->lag);
    }
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
  const auto host = [&](size_t i) {
    return times.start[graph.steps[i].begin];
  };
  const auto has_work = [&](size_t i) {
    return graph.steps[i].first_work != kNoNode;
  };
  bool on_device = has_work(first) && has_work(last - 1);
  const auto device = [&](size_t i) {
    return times.start[graph.steps[i].first_work];
  };
  for (size_t i = first; i < last && on_device; ++i) on_device = has_work(i);
  on_device = on_device && last - first > 1 &&
              device(last - 1) - device(first) > host(last - 1) - host(first);
  const auto begin = [&](size_t i) { return on_device ? device(i) : host(i); };
  for (size_t i = first; i + 1 < last; ++i) {
    periods.push_back(std::max<int64_t>(0, begin(i + 1) - begin(i)));
  }
  const ReplayStep& step = graph.steps[last - 1];
  int64_t end = times.end[step.end];
  if (step.last_work != kNoNode) {
    end = std::max(end, times.end[step.last_work]);
  }
  periods.push_back(std::max<int64_t>(0, end - begin(last - 1)));
}

}  // namespace

StepPeriods PeriodsOf(const ReplayGraph& graph, const ReplayTimes& times) {
  StepPeriods periods;
  periods.reserve(graph.steps.size());
  for (size_t first = 0; first < graph.steps.size();) {
    size_t last = first + 1;
    while (last < graph.steps.size() &&
           graph.steps[last].process == graph.steps[first].process) {
      ++last;
    }
    AddPeriods(graph, times, first, last, periods);
    first = last;
  }
  return periods;
}

}  // namespace stepscope
