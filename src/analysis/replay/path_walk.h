// SPDX-License-Identifier: Apache-2.0
//
// Walks a simulated graph backwards along the edges that held its nodes up.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/name_class.h"
#include "analysis/replay/graph.h"
#include "analysis/replay/host_pieces.h"
#include "analysis/replay/simulate.h"

namespace stepscope {

// A place of the graph: where a node starts or ends.
struct PathPlace {
  uint32_t node = kNoNode;
  bool at_end = false;
};

// The period of a step, in times of the replay.
struct PathEnds {
  int64_t begin_ns = 0;
  int64_t period_ns = 0;  // as PeriodsOf() has it
  PathPlace last;         // what happens at the end of it
};

// By step of the graph.
std::vector<PathEnds> EndsOfSteps(const ReplayGraph& graph,
                                  const ReplayTimes& times);

// Refers to all it is given.
class PathWalk {
 public:
  PathWalk(const EventTree& tree, const ReplayGraph& graph,
           const ReplayTimes& times, NameClasses& names,
           std::vector<RawPiece>& out)
      : trace_(tree.trace()),
        graph_(graph),
        times_(times),
        names_(names),
        out_(out) {}

  // Adds the pieces of one period, the last one first. They have no holes and
  // add up to it.
  void Walk(const PathEnds& ends);

 private:
  enum class Edge : uint8_t { kNone, kPrev, kOther, kCross };
  struct Binding {
    Edge edge = Edge::kNone;
    const CrossEdge* cross = nullptr;
  };

  Binding FindBinding(uint32_t node) const;
  const CrossEdge* FindCross(uint32_t node) const;
  // Each adds what lies between a node and what it waited for, and returns
  // that.
  PathPlace GoBack(uint32_t node);
  PathPlace GoToPrev(uint32_t node);
  PathPlace GoToOther(uint32_t node);
  PathPlace GoToLaunch(uint32_t work);
  void AddDuration(uint32_t node);
  void AddRun(uint32_t node, int64_t end);
  void AddHostCode(uint32_t thread, int64_t at_ns, int64_t begin, int64_t end);

  // [begin, end) of the replay; what is later than what was added last, or
  // before the period, is cut off. `piece.at_ns` belongs to `begin`.
  void Add(RawPiece raw, int64_t begin, int64_t end);
  void AddIdle(PathCause cause, uint32_t node, int64_t begin, int64_t end);
  RawPiece OfRow(Row row, PathCategory category, int64_t at_ns) const;
  PathCategory CategoryOfWork(Row row) const;
  PathCategory CategoryOfCall(Row row, uint8_t flags) const;
  // When the thread or stream was done with all before a node.
  int64_t EndBefore(uint32_t node) const;
  const ReplayNode& NodeAt(uint32_t node) const { return graph_.nodes[node]; }
  int64_t StartOf(uint32_t node) const { return times_.start[node]; }
  int64_t EndOf(uint32_t node) const { return times_.end[node]; }

  const Trace& trace_;
  const ReplayGraph& graph_;
  const ReplayTimes& times_;
  NameClasses& names_;
  std::vector<RawPiece>& out_;
  std::vector<RunPart> parts_;  // of the run at hand
  int64_t now_ = 0;             // all after it is added
  int64_t stop_ = 0;            // the begin of the period
};

}  // namespace stepscope
