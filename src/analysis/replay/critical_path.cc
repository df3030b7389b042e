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

bool IsChosen(const ReplayGraph& graph, const ReplayStep& step,
              const StepChoice& choice) {
  StepInterval interval;
  interval.index = step.index;
  interval.warmup = step.warmup;
  return !graph.has_steps || choice.Includes(interval);
}

double ErrorOf(const CriticalPath& path, std::vector<int64_t> recorded) {
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
    case PathCategory::kOperator: return "operator";
    case PathCategory::kLoader: return "loader";
    case PathCategory::kKernel: return "kernel";
    case PathCategory::kCopy: return "copy";
    case PathCategory::kCommunication: return "communication";
    case PathCategory::kLaunch: return "launch";
    case PathCategory::kSync: return "sync";
    case PathCategory::kApiCall: return "API call";
    case PathCategory::kIdle: return "idle";
  }
  return "";
}

std::string_view PathCauseName(PathCause cause) {
  switch (cause) {
    case PathCause::kEvent: return "";
    case PathCause::kOutsideEvents:
      return "Python or host code outside of events";
    case PathCause::kHandOver: return "hand-over between threads";
    case PathCause::kLaunchDelay: return "from the launch to the work";
    case PathCause::kStreamGap: return "gap between kernels of a full queue";
    case PathCause::kGraphGap: return "gap between kernels of one launch";
    case PathCause::kOtherStream: return "wait for another stream";
    case PathCause::kUnexplained: return "unexplained delay";
  }
  return "";
}

std::string_view NameOf(const PathPiece& piece, const Trace& trace) {
  return piece.row == kNoRow ? PathCauseName(piece.cause)
                             : trace.str(trace.name()[piece.row]);
}

CriticalPath FindCriticalPath(const EventTree& tree, const ReplayGraph& graph,
                              NameClasses& names, const StepChoice& choice) {
  CriticalPath path;
  path.has_steps = graph.has_steps;
  ReplayTimes times;
  Simulate(graph, times);
  const std::vector<PathEnds> ends = EndsOfSteps(graph, times);
  const StepPeriods recorded = PeriodsOf(graph, RecordedTimes(tree, graph));

  std::vector<RawPiece> raw;
  std::vector<int64_t> recorded_periods;
  PathWalk walk(tree, graph, times, names, raw);
  for (size_t i = 0; i < graph.steps.size(); ++i) {
    const ReplayStep& step = graph.steps[i];
    if (!IsChosen(graph, step, choice)) {
      path.left_out.push_back(step.index);
      continue;
    }
    const size_t first = raw.size();
    walk.Walk(ends[i]);
    std::reverse(raw.begin() + static_cast<ptrdiff_t>(first), raw.end());
    path.steps.push_back(
        {step.index, step.process, ends[i].period_ns, first, raw.size()});
    path.total_ns = SaturatingAdd(path.total_ns, ends[i].period_ns);
    recorded_periods.push_back(recorded[i]);
  }
  const HostPieces host(tree, names, raw);
  path.pieces.reserve(raw.size() * 2);
  for (PathStep& step : path.steps) {
    const size_t first = path.pieces.size();
    for (size_t i = step.first; i < step.last; ++i) {
      if (raw[i].thread == kNoThread) {
        path.pieces.push_back(raw[i].piece);
      } else {
        host.AppendTo(i, path.pieces);
      }
    }
    step.first = first;
    step.last = path.pieces.size();
  }
  path.replay_error = ErrorOf(path, std::move(recorded_periods));
  return path;
}

}  // namespace stepscope
