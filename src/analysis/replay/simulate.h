// SPDX-License-Identifier: Apache-2.0
//
// Replays a graph: every node starts when what it depends on is done.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/replay/graph.h"

namespace stepscope {

struct ReplayTimes {
  std::vector<int64_t> start;  // by node
  std::vector<int64_t> end;
};

// The period of each step of the graph, in its order: from one start to the
// next on whichever of host and device paces the loop of its process. The last
// one ends at the later of its ends.
using StepPeriods = std::vector<int64_t>;

// `run_ns`: by run of the graph, what it takes.
void Simulate(const ReplayGraph& graph, std::span<const Cost> costs,
              std::span<const int64_t> run_ns, ReplayTimes& times);
// Nothing changed.
inline void Simulate(const ReplayGraph& graph, ReplayTimes& times) {
  Simulate(graph, graph.costs, graph.run_ns, times);
}
// As recorded, for comparison.
ReplayTimes RecordedTimes(const EventTree& tree, const ReplayGraph& graph);
StepPeriods PeriodsOf(const ReplayGraph& graph, const ReplayTimes& times);

}  // namespace stepscope
