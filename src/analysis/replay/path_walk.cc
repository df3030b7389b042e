// SPDX-License-Identifier: Apache-2.0
#include "analysis/replay/path_walk.h"

#include <algorithm>

#include "analysis/kinds.h"

namespace stepscope {
namespace {

struct Turn {
  int64_t time = 0;
  PathPlace place;
};

// When the device turns to each of the steps [first, last) of a process, and
// what happens then; see step_pace.cc.
std::vector<Turn> TurnsOf(const ReplayGraph& graph, const ReplayTimes& times,
                          size_t first, size_t last) {
  std::vector<Turn> turns;
  Turn until{INT64_MIN, {}};
  for (size_t i = first; i < last; ++i) {
    const ReplayStep& step = graph.steps[i];
    const uint32_t node =
        step.first_work != kNoNode ? step.first_work : step.begin;
    Turn turn{times.start[node], {node, false}};
    if (until.time > turn.time) turn = until;
    turns.push_back(turn);
    if (turn.time > until.time) until = turn;
    if (step.first_work != kNoNode && times.end[step.last_work] > until.time)
      until = {times.end[step.last_work], {step.last_work, true}};
  }
  return turns;
}

// The later end of a step.
Turn LastOf(const ReplayStep& step, const ReplayTimes& times) {
  const Turn host{times.end[step.end], {step.end, true}};
  if (step.last_work == kNoNode || times.end[step.last_work] <= host.time)
    return host;
  return {times.end[step.last_work], {step.last_work, true}};
}

// Of the steps [first, last) of one process.
void AddEnds(const ReplayGraph& graph, const ReplayTimes& times,
             const StepPeriods& periods, size_t first, size_t last,
             std::vector<PathEnds>& ends) {
  const std::vector<Turn> turns = TurnsOf(graph, times, first, last);
  const auto follows = [&](size_t i) {
    return i + 1 < last && !graph.steps[i + 1].rested &&
           graph.steps[i + 1].index == graph.steps[i].index + 1;
  };
  const auto host = [&](size_t i) {
    const uint32_t mark = graph.steps[i].begin;
    return Turn{times.start[mark], {mark, false}};
  };
  const auto end_of = [&](size_t i, bool device) {
    if (!follows(i)) return LastOf(graph.steps[i], times);
    return device ? turns[i + 1 - first] : host(i + 1);
  };
  // The periods say who paces the loop.
  bool device = false;
  for (size_t i = first; i < last && !device; ++i) {
    const int64_t of_host = end_of(i, false).time - host(i).time;
    device = std::max<int64_t>(0, of_host) != periods[i];
  }
  for (size_t i = first; i < last; ++i) {
    const Turn begin = device ? turns[i - first] : host(i);
    ends.push_back({begin.time, periods[i], end_of(i, device).place});
  }
}

}  // namespace

std::vector<PathEnds> EndsOfSteps(const ReplayGraph& graph,
                                  const ReplayTimes& times) {
  const StepPeriods periods = PeriodsOf(graph, times);
  std::vector<PathEnds> ends;
  for (size_t first = 0; first < graph.steps.size();) {
    size_t last = first + 1;
    while (last < graph.steps.size() &&
           graph.steps[last].process == graph.steps[first].process)
      ++last;
    AddEnds(graph, times, periods, first, last, ends);
    first = last;
  }
  return ends;
}

void PathWalk::Walk(const PathEnds& ends) {
  stop_ = ends.begin_ns;
  now_ = SaturatingAdd(ends.begin_ns, ends.period_ns);
  PathPlace at = ends.last;
  while (now_ > stop_ && at.node != kNoNode) {
    if (at.at_end) AddDuration(at.node);
    at = GoBack(at.node);
  }
  if (now_ > stop_) {
    RawPiece rest;
    rest.piece.at_ns = SaturatingAdd(graph_.origin_ns, stop_);
    rest.piece.cause = PathCause::kUnexplained;
    Add(rest, stop_, now_);
  }
}

void PathWalk::Add(RawPiece raw, int64_t begin, int64_t end) {
  if (begin >= end) return;
  if (end < now_) {  // never, if the graph and its times belong together
    RawPiece hole;
    hole.piece.at_ns = SaturatingAdd(graph_.origin_ns, end);
    hole.piece.cause = PathCause::kUnexplained;
    Add(hole, end, now_);
  }
  const int64_t from = std::max(begin, stop_);
  const int64_t to = std::min(end, now_);
  if (from >= to) return;
  raw.piece.at_ns = SaturatingAdd(raw.piece.at_ns, from - begin);
  raw.piece.dur_ns = to - from;
  out_.push_back(raw);
  now_ = from;
}

void PathWalk::AddIdle(PathCause cause, uint32_t node, int64_t begin,
                       int64_t end) {
  RawPiece raw;
  raw.piece.at_ns = SaturatingSubtract(NodeAt(node).at, StartOf(node) - begin);
  raw.piece.cause = cause;
  if (cause == PathCause::kLaunchDelay)
    raw.piece.category = PathCategory::kLaunch;
  Add(raw, begin, end);
}

RawPiece PathWalk::OfRow(Row row, PathCategory category, int64_t at_ns) const {
  RawPiece raw;
  raw.piece.row = row;
  raw.piece.category = category;
  raw.piece.at_ns = at_ns;
  return raw;
}

PathCategory PathWalk::CategoryOfWork(Row row) const {
  if (trace_.type()[row] != STEPSCOPE_KERNEL) return PathCategory::kCopy;
  return names_.collective_kernel(trace_.name()[row])
             ? PathCategory::kCommunication
             : PathCategory::kKernel;
}

PathCategory PathWalk::CategoryOfCall(Row row, uint8_t flags) const {
  if ((flags & kLaunchCall) != 0 ||
      trace_.type()[row] == STEPSCOPE_GRAPH_LAUNCH ||
      names_.launch_call(trace_.name()[row]))
    return PathCategory::kLaunch;
  return (flags & kSyncCall) != 0 ? PathCategory::kSync
                                  : PathCategory::kApiCall;
}

int64_t PathWalk::EndBefore(uint32_t node) const {
  const int64_t end = EndOf(NodeAt(node).prev);
  return NodeAt(node).has(kAfterRun) ? end + graph_.run_ns[graph_.RunOf(node)]
                                     : end;
}

const CrossEdge* PathWalk::FindCross(uint32_t node) const {
  if (graph_.costs[node].lag <= kNever) return nullptr;
  auto edge =
      std::partition_point(graph_.cross.begin(), graph_.cross.end(),
                           [&](const CrossEdge& at) { return at.node < node; });
  for (; edge != graph_.cross.end() && edge->node == node; ++edge)
    if (EndOf(edge->from) + edge->lag == StartOf(node)) return &*edge;
  return nullptr;
}

// Where several edges bind, the one that stays on the device.
PathWalk::Binding PathWalk::FindBinding(uint32_t node) const {
  const ReplayNode& at = NodeAt(node);
  const Cost& cost = graph_.costs[node];
  const bool work = at.kind == NodeKind::kWork;
  const auto prev = [&] {
    if (at.prev == kNoNode) return false;
    const int64_t from =
        at.has(kFromStart) ? StartOf(at.prev) : EndBefore(node);
    return from + cost.gap == StartOf(node);
  };
  const auto other = [&] {
    if (at.other == kNoNode) return false;
    const int64_t from = work ? StartOf(at.other) : EndOf(at.other);
    return from + cost.lag == StartOf(node);
  };
  if (work) {
    if (prev()) return {Edge::kPrev, nullptr};
    if (const CrossEdge* const cross = FindCross(node); cross != nullptr)
      return {Edge::kCross, cross};
  }
  if (other()) return {Edge::kOther, nullptr};
  return prev() ? Binding{Edge::kPrev, nullptr} : Binding{};
}

PathPlace PathWalk::GoBack(uint32_t node) {
  const Binding binding = FindBinding(node);
  switch (binding.edge) {
    case Edge::kPrev:
      return GoToPrev(node);
    case Edge::kOther:
      return GoToOther(node);
    case Edge::kCross:
      AddIdle(PathCause::kOtherStream, node, EndOf(binding.cross->from),
              StartOf(node));
      return {binding.cross->from, true};
    case Edge::kNone:
      break;
  }
  return {};  // nothing before it: it began when it was first seen
}

PathPlace PathWalk::GoToPrev(uint32_t node) {
  const ReplayNode& at = NodeAt(node);
  const ReplayNode& prev = NodeAt(at.prev);
  const int64_t start = StartOf(node);
  const int64_t gap = graph_.costs[node].gap;
  if (at.kind != NodeKind::kWork) {
    if (at.kind == NodeKind::kWait) {  // what the call takes by itself
      Add(OfRow(at.row,
                at.has(kSyncCall) ? PathCategory::kSync : PathCategory::kLaunch,
                prev.at),
          start - gap, start);
    } else {
      AddHostCode(at.line, graph_.EndBefore(node), start - gap, start);
      if (at.has(kAfterRun)) AddRun(node, start - gap);
    }
    return {at.prev, true};
  }
  if (at.has(kFromStart)) {  // as long as the one before ran alone
    Add(OfRow(prev.row, CategoryOfWork(prev.row), prev.at), start - gap, start);
    return {at.prev, false};
  }
  PathCause cause = PathCause::kUnexplained;
  if (at.has(kInsideLaunch))
    cause = PathCause::kGraphGap;
  else if (gap <= graph_.typical_gap_ns + kNextNs)
    cause = PathCause::kStreamGap;
  AddIdle(cause, node, start - gap, start);
  return {at.prev, true};
}

PathPlace PathWalk::GoToOther(uint32_t node) {
  const ReplayNode& at = NodeAt(node);
  if (at.kind == NodeKind::kWork) return GoToLaunch(node);
  const int64_t start = StartOf(node);
  const int64_t lag = graph_.costs[node].lag;
  RawPiece raw;
  if (at.kind == NodeKind::kWait) {
    raw =
        OfRow(at.row,
              at.has(kFullQueue) ? PathCategory::kLaunch : PathCategory::kSync,
              SaturatingSubtract(at.at, lag));
  } else {
    raw.thread = NodeAt(at.other).line;
    raw.piece.at_ns = graph_.RecordedEnd(at.other);
    raw.piece.cause = PathCause::kHandOver;
  }
  Add(raw, start - lag, start);
  return {at.other, true};
}

PathPlace PathWalk::GoToLaunch(uint32_t work) {
  const ReplayNode& at = NodeAt(work);
  const ReplayNode& call = NodeAt(at.other);
  const int64_t start = StartOf(work);
  const int64_t begin = StartOf(at.other);
  // Of a call that waits, the duration is in another node.
  const int64_t call_ns = std::max<int64_t>(0, trace_.dur_ns()[call.row]);
  const int64_t soon = SaturatingAdd(
      begin,
      SaturatingAdd(std::max(call_ns, graph_.typical_lag_ns), kLongestLagNs));
  const int64_t called = std::min(start, SaturatingAdd(begin, call_ns));
  AddIdle(PathCause::kUnexplained, work, std::max(soon, called), start);
  AddIdle(PathCause::kLaunchDelay, work, called, std::min(soon, start));
  Add(OfRow(call.row, CategoryOfCall(call.row, call.flags), call.at), begin,
      called);
  return {at.other, false};
}

void PathWalk::AddDuration(uint32_t node) {
  const ReplayNode& at = NodeAt(node);
  if (at.kind == NodeKind::kWork) {
    Add(OfRow(at.row, CategoryOfWork(at.row), at.at), StartOf(node),
        EndOf(node));
  } else if (at.kind == NodeKind::kCall) {
    Add(OfRow(at.row, CategoryOfCall(at.row, at.flags), at.at), StartOf(node),
        EndOf(node));
  }
}

void PathWalk::AddHostCode(uint32_t thread, int64_t at_ns, int64_t begin,
                           int64_t end) {
  RawPiece raw;
  raw.thread = thread;
  raw.piece.at_ns = at_ns;
  raw.piece.category = PathCategory::kOperator;
  raw.piece.cause = PathCause::kOutsideEvents;
  Add(raw, begin, end);
}

// The run before a node, which ends at `end` of the replay.
void PathWalk::AddRun(uint32_t node, int64_t end) {
  parts_.clear();
  graph_.ForEachPart(graph_.runs[graph_.RunOf(node)], trace_,
                     [&](const RunPart& part) { parts_.push_back(part); });
  for (size_t i = parts_.size(); i-- > 0 && now_ > stop_;) {
    const RunPart& part = parts_[i];
    const int64_t begin = end - part.time.dur;
    if (part.is_call())
      Add(OfRow(part.row, CategoryOfCall(part.row, 0), part.at), begin, end);
    end = begin - part.time.gap;
    AddHostCode(NodeAt(node).line, part.at - part.time.gap, end, begin);
  }
}

}  // namespace stepscope
