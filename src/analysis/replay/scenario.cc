// SPDX-License-Identifier: Apache-2.0
#include "analysis/replay/scenario.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/innermost.h"
#include "analysis/interval_search.h"
#include "analysis/kinds.h"
#include "base/glob.h"

namespace stepscope {
namespace {

// Of a call or a gap, the recorder cannot have taken more.
constexpr double kMostOfIt = 0.9;
// Beside what it does for each event, a recorder slows all host work down (it
// takes cache, memory and cycles of the other threads). Pairs of runs with and
// without torch.profiler, of steps with few and with many events, fit this
// share for each microsecond per event.
constexpr double kSlowerPerUs = 0.33;
constexpr double kMostSlower = 0.6;

// When the host work before a part of a run was done.
Interval GapBefore(const RunPart& part) {
  return {part.at - part.time.gap, part.at};
}

int64_t Scaled(int64_t ns, double factor) {
  return static_cast<int64_t>(std::llround(static_cast<double>(ns) * factor));
}

// Host work without what the recorder took of it.
int64_t WithoutRecorder(int64_t ns, uint32_t halves, double ns_per_event) {
  const double slower =
      std::min(kMostSlower, kSlowerPerUs * ns_per_event / 1e3);
  const auto all = static_cast<double>(ns);
  const double taken = all * slower + ns_per_event * halves / 2;
  return ns - static_cast<int64_t>(std::min(all * kMostOfIt, taken));
}

}  // namespace

// Changes of runs are put off until here, so that a part is looked at once and
// nothing is kept of it.
std::vector<int64_t> Scenario::RunTimes() const {
  const ReplayGraph& graph = input_.graph;
  if (part_changes_.empty()) return graph.run_ns;
  std::vector<int64_t> times;
  times.reserve(graph.runs.size());
  for (const CallRun& run : graph.runs) {
    const uint32_t line = graph.nodes[run.node].line;
    int64_t sum = 0;
    graph.ForEachPart(run, input_.trace(), [&](const RunPart& part) {
      PartTime time = part.time;
      for (const ChangePart& change : part_changes_) change(part, line, time);
      sum += time.gap + time.dur;
    });
    times.push_back(sum);
  }
  return times;
}

// When the host work between a node and the one before was done.
Interval Scenario::GapOf(uint32_t node) const {
  const ReplayNode& at = input_.graph.nodes[node];
  if (at.prev == kNoNode) return {at.at, at.at};
  const int64_t begin = input_.graph.EndBefore(node);
  return {begin, SaturatingAdd(begin, input_.graph.costs[node].gap)};
}

Interval Scenario::LagOf(uint32_t node) const {
  const ReplayNode& at = input_.graph.nodes[node];
  return {SaturatingSubtract(at.at, input_.graph.costs[node].lag), at.at};
}

bool Scenario::IsKernel(uint32_t node) const {
  return input_.graph.nodes[node].kind == NodeKind::kWork &&
         input_.trace().type()[RowOf(node)] == STEPSCOPE_KERNEL;
}

void Scenario::RemoveRecorder(double ns_per_event) {
  for (uint32_t i = 0; i < count(); ++i) {
    const ReplayNode& node = input_.graph.nodes[i];
    Cost& cost = costs_[i];
    if (!node.on_host()) continue;
    if (node.prev != kNoNode) {
      // A call is written when it returns: half in it, half after it.
      const uint32_t halves =
          node.kind == NodeKind::kWait
              ? 1
              : node.events + (input_.graph.IsAfterCall(i) ? 1 : 0);
      cost.gap = WithoutRecorder(cost.gap, halves, ns_per_event);
    }
    if (node.kind == NodeKind::kCall)
      cost.dur = WithoutRecorder(cost.dur, 1, ns_per_event);
    else if (node.kind == NodeKind::kJoin && node.other != kNoNode)
      cost.lag = WithoutRecorder(cost.lag, 0, ns_per_event);
  }
  part_changes_.push_back(
      [ns_per_event](const RunPart& part, uint32_t, PartTime& time) {
        const uint32_t halves = part.events + (part.after_call ? 1 : 0);
        time.gap = WithoutRecorder(time.gap, halves, ns_per_event);
        if (!part.is_call()) return;
        time.dur = WithoutRecorder(time.dur, 1, ns_per_event);
      });
}

uint64_t Scenario::Apply(const Change& change, Estimate estimate) {
  note_.clear();
  switch (change.kind) {
    case Change::Kind::kDataReady:
      return ApplyDataReady(estimate);
    case Change::Kind::kNoSync:
      return ApplyNoSync();
    case Change::Kind::kGraph:
      return ApplyGraph(estimate);
    case Change::Kind::kFuseSmall:
      return ApplyFuseSmall(change.pattern, estimate);
    case Change::Kind::kTensorCores:
      return ApplyTensorCores(change.factor, estimate);
    case Change::Kind::kComm:
      return ApplyComm(*change.factor);
    case Change::Kind::kHost:
      return ApplyHost(*change.factor);
    case Change::Kind::kKernel:
      return ApplyKernel(change.pattern, *change.factor);
    case Change::Kind::kOperator:
      return ApplyOperator(change.pattern, *change.factor);
    case Change::Kind::kSelf:
      return ApplySelf(change.pattern, *change.factor);
  }
  return 0;
}

std::vector<bool> Scenario::NamesLike(const std::string& pattern,
                                      TypeSet types) const {
  const Trace& trace = input_.trace();
  const Census& census = input_.tree.census();
  std::vector<bool> wanted(trace.strings().size());
  for (uint32_t i = 0; i < wanted.size(); ++i) {
    wanted[i] = (census.host_types(StringId{i}) & types) != 0 &&
                MatchesGlob(pattern, trace.str(StringId{i}));
  }
  return wanted;
}

Scenario::ThreadSets Scenario::OwnTimeOf(const std::string& pattern,
                                         uint64_t& count) const {
  const Trace& trace = input_.trace();
  const std::vector<bool> wanted = NamesLike(pattern, ~kApiCallTypes);
  ThreadSets sets(input_.tree.threads().size());
  if (std::find(wanted.begin(), wanted.end(), true) == wanted.end())
    return sets;
  for (uint32_t i = 0; i < sets.size(); ++i) {
    IntervalCollector own;
    ForEachInnermost(input_.tree, i, [&](const InnermostPiece& piece) {
      if (piece.row == kNoRow || !wanted[trace.name()[piece.row].v] ||
          IsApiCall(trace.type()[piece.row]))
        return;
      ++count;
      own.Add(piece.range.begin, piece.range.end);
    });
    sets[i] = own.Finish();
  }
  return sets;
}

Scenario::ThreadSets Scenario::RangesNamed(const std::string& pattern,
                                           TypeSet types,
                                           uint64_t& count) const {
  const Trace& trace = input_.trace();
  const std::vector<bool> wanted = NamesLike(pattern, types);
  ThreadSets sets(input_.tree.threads().size());
  if (std::find(wanted.begin(), wanted.end(), true) == wanted.end())
    return sets;
  for (size_t i = 0; i < sets.size(); ++i) {
    if (!input_.tree.Has(i, types)) continue;
    IntervalCollector thread;
    input_.tree.threads().ForEachRow(i, [&](Row row) {
      if (!wanted[trace.name()[row].v] ||
          (SetOf(trace.type()[row]) & types) == 0)
        return;
      ++count;
      thread.Add(trace.start_ns()[row], input_.tree.end_ns(row));
    });
    sets[i] = thread.Finish();
  }
  return sets;
}

void Scenario::ScaleCall(uint32_t node, double factor) {
  Cost& cost = costs_[node];
  cost.dur = Scaled(cost.dur, factor);
  if (input_.graph.nodes[node].kind != NodeKind::kWait) return;
  cost.gap = Scaled(cost.gap, factor);
  if (factor == 0) cost.lag = kNever;
}

void Scenario::ScaleHost(ThreadSets sets, double factor, bool calls) {
  const auto scale = [factor](const IntervalSet& set, const Interval& range,
                              int64_t ns) {
    const int64_t length = range.end - range.begin;
    if (set.empty() || length <= 0) return ns;
    const double share = static_cast<double>(CoveredLength(set, range)) /
                         static_cast<double>(length);
    return Scaled(ns, 1 - (1 - factor) * share);
  };
  for (uint32_t i = 0; i < count(); ++i) {
    const ReplayNode& node = input_.graph.nodes[i];
    if (!node.on_host()) continue;
    const IntervalSet& set = sets[node.line];
    Cost& cost = costs_[i];
    if (node.kind == NodeKind::kWait) {
      const int64_t begin = input_.graph.nodes[node.prev].at;
      if (calls && Contains(set, begin)) ScaleCall(i, factor);
      continue;
    }
    const bool tied = node.kind == NodeKind::kJoin && node.other != kNoNode;
    const bool waits_inside = tied && factor != 1 && node.prev != kNoNode &&
                              Contains(set, node.at - 1);
    if (waits_inside && cost.lag <= kNever) {
      cost.gap = Scaled(cost.gap, factor);  // has the wait from before
      continue;
    }
    if (node.prev != kNoNode) cost.gap = scale(set, GapOf(i), cost.gap);
    if (waits_inside) {
      // A wait for another thread is part of the range around it.
      const int64_t waited = SaturatingSubtract(node.at, GapOf(i).end);
      if (waited > 0) cost.gap += Scaled(waited, factor);
      cost.lag = kNever;
    } else if (tied) {
      const IntervalSet& mate = sets[input_.graph.nodes[node.other].line];
      cost.lag = scale(mate, LagOf(i), cost.lag);
    } else if (node.kind == NodeKind::kCall && calls &&
               Contains(set, node.at)) {
      ScaleCall(i, factor);
    }
  }
  part_changes_.push_back(
      [sets = std::move(sets), factor, calls, scale](
          const RunPart& part, uint32_t line, PartTime& time) {
        const IntervalSet& set = sets[line];
        if (set.empty()) return;
        time.gap = scale(set, GapBefore(part), time.gap);
        if (calls && part.is_call() && Contains(set, part.at))
          time.dur = Scaled(time.dur, factor);
      });
}

void Scenario::RemoveWork(uint32_t node) { costs_[node] = {0, kNever, 0}; }

// Not from the stages: one of these may be around the loader.
Scenario::ThreadSets Scenario::LoaderRanges() const {
  const Trace& trace = input_.trace();
  ThreadSets sets(input_.tree.threads().size());
  for (size_t i = 0; i < sets.size(); ++i) {
    const Thread& thread = input_.tree.threads()[i];
    if (input_.steps.main_thread(thread.process) != i) continue;
    IntervalCollector loader;
    for (uint32_t t = thread.first_track; t < thread.last_track; ++t) {
      for (const Row row : input_.tree.census().marks(t)) {
        if (trace.type()[row] != STEPSCOPE_DATALOADER) continue;
        loader.Add(trace.start_ns()[row], input_.tree.end_ns(row));
      }
    }
    sets[i] = loader.Finish();
  }
  return sets;
}

uint64_t Scenario::ApplyDataReady(Estimate estimate) {
  ThreadSets sets = LoaderRanges();
  uint64_t found = 0;
  for (const IntervalSet& set : sets) found += set.size();
  // Taking a batch that is ready is not free either.
  ScaleHost(std::move(sets), estimate == Estimate::kCautious ? 0.1 : 0, false);
  return found;
}

uint64_t Scenario::ApplyNoSync() {
  uint64_t found = 0;
  for (uint32_t i = 0; i < count(); ++i) {
    const ReplayNode& node = input_.graph.nodes[i];
    Cost& cost = costs_[i];
    if (node.kind == NodeKind::kWait && !node.has(kFullQueue)) {
      ++found;
      cost.lag = kNever;
      if (node.has(kSyncCall)) cost.gap = 0;
    } else if (node.kind == NodeKind::kCall && node.has(kSyncCall)) {
      cost.dur = 0;
    }
  }
  return found;
}

uint64_t Scenario::ApplyComm(double factor) {
  uint64_t found = 0;
  const auto of_row = [&](Row row, Row launch) {
    DeviceWork work;
    work.row = row;
    work.launch = launch;
    return input_.communication.IsKernel(work);
  };
  for (uint32_t i = 0; i < count(); ++i) {
    if (!IsKernel(i)) continue;
    const ReplayNode& node = input_.graph.nodes[i];
    const Row launch =
        node.other == kNoNode ? kNoRow : input_.graph.nodes[node.other].row;
    if (!of_row(node.row, launch)) continue;
    ++found;
    costs_[i].dur = Scaled(costs_[i].dur, factor);
  }
  // What the host does by itself: gloo, MPI.
  if (input_.communication.host_calls() > 0) {
    ScaleHost(input_.communication.by_thread(), factor, true);
    found += input_.communication.host_calls();
  }
  return found;
}

uint64_t Scenario::ApplyHost(double factor) {
  uint64_t found = 0;
  for (uint32_t i = 0; i < count(); ++i) {
    const ReplayNode& node = input_.graph.nodes[i];
    if (!node.on_host()) continue;
    ++found;
    Cost& cost = costs_[i];
    if (node.prev != kNoNode) cost.gap = Scaled(cost.gap, factor);
    cost.dur = Scaled(cost.dur, factor);
    if (node.kind == NodeKind::kJoin && node.other != kNoNode && cost.lag > 0)
      cost.lag = Scaled(cost.lag, factor);
  }
  for (const CallRun& run : input_.graph.runs) found += run.count;
  part_changes_.push_back([factor](const RunPart&, uint32_t, PartTime& time) {
    time.gap = Scaled(time.gap, factor);
    time.dur = Scaled(time.dur, factor);
  });
  return found;
}

uint64_t Scenario::ApplyKernel(const std::string& pattern, double factor) {
  const Trace& trace = input_.trace();
  std::vector<int8_t> matches(trace.strings().size(), -1);
  uint64_t found = 0;
  for (uint32_t i = 0; i < count(); ++i) {
    if (input_.graph.nodes[i].kind != NodeKind::kWork) continue;
    const StringId name = trace.name()[RowOf(i)];
    if (matches[name.v] < 0)
      matches[name.v] = MatchesGlob(pattern, trace.str(name)) ? 1 : 0;
    if (matches[name.v] == 0) continue;
    ++found;
    costs_[i].dur = Scaled(costs_[i].dur, factor);
  }
  return found;
}

uint64_t Scenario::ApplyOperator(const std::string& pattern, double factor) {
  uint64_t found = 0;
  const ThreadSets sets = RangesNamed(pattern, kRangeTypes, found);
  if (found == 0) return 0;
  ScaleHost(sets, factor, true);
  for (uint32_t i = 0; i < count(); ++i) {
    const ReplayNode& node = input_.graph.nodes[i];
    if (node.kind != NodeKind::kWork || node.other == kNoNode) continue;
    const ReplayNode& launch = input_.graph.nodes[node.other];
    if (!Contains(sets[launch.line], launch.at)) continue;
    if (factor == 0)
      RemoveWork(i);
    else
      costs_[i].dur = Scaled(costs_[i].dur, factor);
  }
  return found;
}

uint64_t Scenario::ApplySelf(const std::string& pattern, double factor) {
  uint64_t found = 0;
  ThreadSets sets = OwnTimeOf(pattern, found);
  // A call of the device's API is an event inside.
  if (found > 0) ScaleHost(std::move(sets), factor, false);
  return found;
}

}  // namespace stepscope
