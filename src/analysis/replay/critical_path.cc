// SPDX-License-Identifier: Apache-2.0
#include "analysis/replay/critical_path.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "analysis/order_statistics.h"
#include "analysis/replay/host_pieces.h"
#include "analysis/replay/path_walk.h"
#include "analysis/replay/simulate.h"

namespace stepscope {
namespace {

// Steps are split at their events together, until there are so many pieces.
constexpr size_t kManyPieces = size_t{1} << 14;

bool IsChosen(const ReplayGraph& graph, const ReplayStep& step,
              const StepChoice& choice) {
  StepInterval interval;
  interval.index = step.index;
  interval.warmup = step.warmup;
  return !graph.has_steps || choice.Includes(interval);
}

double ReplayErrorOf(const CriticalPath& path, std::vector<int64_t> recorded) {
  std::vector<int64_t> replayed;
  for (const PathStep& step : path.steps) replayed.push_back(step.period_ns);
  if (replayed.empty()) return 0;
  const int64_t truth = Median(recorded);
  return truth <= 0 ? 0
                    : static_cast<double>(Median(replayed)) /
                              static_cast<double>(truth) -
                          1;
}

}  // namespace

std::string_view PathCategoryName(PathCategory category) {
  switch (category) {
    case PathCategory::kOperator:
      return "operator";
    case PathCategory::kLoader:
      return "loader";
    case PathCategory::kKernel:
      return "kernel";
    case PathCategory::kCopy:
      return "copy";
    case PathCategory::kCommunication:
      return "communication";
    case PathCategory::kLaunch:
      return "launch";
    case PathCategory::kSync:
      return "sync";
    case PathCategory::kApiCall:
      return "API call";
    case PathCategory::kIdle:
      return "idle";
  }
  return "";
}

std::string_view PathCauseName(PathCause cause) {
  switch (cause) {
    case PathCause::kEvent:
      return "";
    case PathCause::kOutsideEvents:
      return "Python or host code outside of events";
    case PathCause::kHandOver:
      return "hand-over between threads";
    case PathCause::kLaunchDelay:
      return "from the launch to the work";
    case PathCause::kStreamGap:
      return "gap between kernels of a full queue";
    case PathCause::kGraphGap:
      return "gap between kernels of one launch";
    case PathCause::kOtherStream:
      return "wait for another stream";
    case PathCause::kUnexplained:
      return "unexplained delay";
  }
  return "";
}

std::string_view NameOf(const PathPiece& piece, const Trace& trace) {
  return piece.row == kNoRow ? PathCauseName(piece.cause)
                             : trace.str(trace.name()[piece.row]);
}

CriticalPath WalkCriticalPath(const EventTree& tree, const ReplayGraph& graph,
                              NameClasses& names, const StepChoice& choice,
                              const VisitPath& visit) {
  CriticalPath path;
  path.has_steps = graph.has_steps;
  ReplayTimes times;
  Simulate(graph, times);
  const std::vector<PathEnds> ends = EndsOfSteps(graph, times);
  const StepPeriods recorded = PeriodsOf(graph, RecordedTimes(tree, graph));

  std::vector<RawPiece> raw;  // of steps that were walked and not visited
  std::vector<int64_t> recorded_periods;
  HostPieces host(tree, names);
  PathWalk walk(tree, graph, times, names, raw);
  size_t visited = 0;
  std::vector<PathPiece> pieces;
  const auto visit_walked = [&] {
    host.Look(raw);
    const size_t base = raw.empty() ? 0 : path.steps[visited].first;
    for (; visited < path.steps.size(); ++visited) {
      const PathStep& step = path.steps[visited];
      pieces.clear();
      for (size_t i = step.first - base; i < step.last - base; ++i)
        if (raw[i].thread == kNoThread)
          pieces.push_back(raw[i].piece);
        else
          host.AppendTo(i, pieces);
      visit(pieces);
    }
    raw.clear();
  };
  size_t count = 0;
  for (size_t i = 0; i < graph.steps.size(); ++i) {
    const ReplayStep& step = graph.steps[i];
    if (!IsChosen(graph, step, choice)) {
      path.left_out.push_back(step.index);
      continue;
    }
    const size_t first = raw.size();
    walk.Walk(ends[i]);
    std::reverse(raw.begin() + static_cast<ptrdiff_t>(first), raw.end());
    const size_t added = raw.size() - first;
    path.steps.push_back(
        {step.index, step.process, ends[i].period_ns, count, count + added});
    count += added;
    path.total_ns = SaturatingAdd(path.total_ns, ends[i].period_ns);
    recorded_periods.push_back(recorded[i]);
    if (raw.size() >= kManyPieces) visit_walked();
  }
  visit_walked();
  for (PathStep& step : path.steps) step.first = step.last = 0;
  path.replay_error = ReplayErrorOf(path, std::move(recorded_periods));
  return path;
}

CriticalPath FindCriticalPath(const EventTree& tree, const ReplayGraph& graph,
                              NameClasses& names, const StepChoice& choice) {
  std::vector<PathPiece> pieces;
  std::vector<size_t> last;  // by step
  CriticalPath path = WalkCriticalPath(
      tree, graph, names, choice, [&](std::span<const PathPiece> of_step) {
        pieces.insert(pieces.end(), of_step.begin(), of_step.end());
        last.push_back(pieces.size());
      });
  for (size_t i = 0; i < path.steps.size(); ++i) {
    path.steps[i].first = i == 0 ? 0 : last[i - 1];
    path.steps[i].last = last[i];
  }
  path.pieces = std::move(pieces);
  return path;
}

}  // namespace stepscope
