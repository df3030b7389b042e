// SPDX-License-Identifier: Apache-2.0
//
// Scenario: a replay with changes. It starts from the costs of the graph, less
// what the recorder took if that is known, and each change alters them.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "analysis/communication.h"
#include "analysis/kinds.h"
#include "analysis/replay/change.h"
#include "analysis/replay/graph.h"

namespace stepscope {

// What the changes look at. Refers to all of it.
struct ReplayInput {
  const EventTree& tree;
  const StepTable& steps;
  NameClasses& names;
  const Communication& communication;
  const ReplayGraph& graph;

  const Trace& trace() const { return tree.trace(); }
};

// How a change is taken where it could turn out either way.
enum class Estimate : uint8_t { kLikely, kCautious, kHopeful };

class Scenario {
 public:
  explicit Scenario(const ReplayInput& input)
      : input_(input), costs_(input.graph.costs) {}

  std::span<const Cost> costs() const { return costs_; }
  // By run of the graph: what it takes.
  std::vector<int64_t> RunTimes() const;

  // Takes the recorder's cost per host event out of calls and gaps.
  void RemoveRecorder(double ns_per_event);
  // Returns how many nodes or ranges it found to change.
  uint64_t Apply(const Change& change, Estimate estimate);
  // What a user should know of the last change, once.
  const std::string& note() const { return note_; }

 private:
  // What a user can name: all of the host but calls and steps.
  static constexpr TypeSet kRangeTypes =
      ~(kApiCallTypes | SetOf(STEPSCOPE_PROFILE_STEP));
  // By thread: where host work is scaled.
  using ThreadSets = std::vector<IntervalSet>;

  uint64_t ApplyDataReady(Estimate estimate);
  uint64_t ApplyNoSync();
  uint64_t ApplyGraph(Estimate estimate);
  uint64_t ApplyFuseSmall(const std::string& pattern, Estimate estimate);
  uint64_t ApplyTensorCores(std::optional<double> factor, Estimate estimate);
  uint64_t ApplyComm(double factor);
  uint64_t ApplyHost(double factor);
  uint64_t ApplyKernel(const std::string& pattern, double factor);
  uint64_t ApplyOperator(const std::string& pattern, double factor);
  uint64_t ApplySelf(const std::string& pattern, double factor);

  // Ranges of the loader on stepping threads.
  ThreadSets LoaderRanges() const;
  ThreadSets RangesOutsideGraphs() const;
  // By name: whether it matches and is that of a host range.
  std::vector<bool> NamesLike(const std::string& pattern, TypeSet types) const;
  // Host ranges whose name matches, by thread; `count`: how many.
  ThreadSets RangesNamed(const std::string& pattern, TypeSet types,
                         uint64_t& count) const;
  // The same without what is inside them, in pieces; of steps too, which is
  // when nothing was recorded in them.
  ThreadSets OwnTimeOf(const std::string& pattern, uint64_t& count) const;
  // Gaps inside the sets; with `calls`, API calls as well.
  void ScaleHost(ThreadSets sets, double factor, bool calls);
  void ScaleCall(uint32_t node, double factor);
  void RemoveWork(uint32_t node);
  Interval GapOf(uint32_t node) const;
  Interval LagOf(uint32_t node) const;
  bool IsKernel(uint32_t node) const;
  Row RowOf(uint32_t node) const { return input_.graph.nodes[node].row; }
  uint32_t count() const {
    return static_cast<uint32_t>(input_.graph.nodes.size());
  }

  // What a change does to a part of a run, which is as recorded.
  using ChangePart =
      std::function<void(const RunPart& part, uint32_t line, PartTime& time)>;

  const ReplayInput& input_;
  std::vector<Cost> costs_;
  std::vector<ChangePart> part_changes_;  // in their order
  std::string note_;
};

}  // namespace stepscope
