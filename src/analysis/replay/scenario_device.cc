// SPDX-License-Identifier: Apache-2.0
//
// Changes of what is launched: graphs, fused kernels, tensor cores.
#include <algorithm>
#include <cmath>

#include "analysis/kinds.h"
#include "analysis/replay/device_peaks.h"
#include "analysis/replay/scenario.h"
#include "base/text.h"

namespace stepscope {
namespace {

constexpr int64_t kSmallKernelNs = 10'000;
// Of a small kernel, this much is its start and end, not its work.
constexpr int64_t kKernelFixedNs = 1'500;
// The launch of a graph, and of each node in it.
constexpr int64_t kGraphCallNs = 10'000;
constexpr int64_t kGraphNodeNs = 500;
// No matrix kernel gets shorter.
constexpr int64_t kShortestMatrixNs = 4'000;
// Libraries come closer to the peak of float32 than to that of tensor cores.
constexpr double kTensorEfficiency = 0.8;

int64_t Overlap(const IntervalSet& set, const Interval& range) {
  const Interval one[] = {range};
  return set.empty() ? 0 : OverlapLength(set, one);
}

}  // namespace

uint64_t Scenario::ApplyGraph(Estimate estimate) {
  const ReplayGraph& graph = input_.graph;
  // Where the loader is, by process; it stays outside the graph.
  std::vector<IntervalSet> loader(input_.trace().processes().size());
  for (const StepInterval& stage : input_.steps.stages()) {
    if (stage.type != STEPSCOPE_DATALOADER) continue;
    const uint32_t process = input_.tree.threads()[stage.thread].process;
    if (stage.thread != input_.steps.main_thread(process)) continue;
    loader[process].push_back(stage.range);
  }
  // By process: the steps, and the call that stands for those of a segment.
  struct Progress {
    size_t next = 0;
    size_t last = 0;
    uint32_t call = kNoNode;
  };
  std::vector<Progress> progress(loader.size());
  for (size_t i = 0; i < graph.steps.size(); ++i) {
    Progress& of = progress[graph.steps[i].process];
    if (of.last == 0) of.next = i;
    of.last = i + 1;
  }
  uint64_t found = 0;
  for (uint32_t i = 0; i < count(); ++i) {
    const ReplayNode& node = graph.nodes[i];
    Cost& cost = costs_[i];
    if (!node.on_host()) {
      if (node.other == kNoNode || !IsKernel(i)) continue;
      cost.gap = node.has(kFromStart)
                     ? cost.gap
                     : std::min(cost.gap, graph.typical_gap_ns);
      cost.lag = std::min(cost.lag, graph.typical_lag_ns);
      continue;
    }
    const uint32_t process = input_.tree.threads()[node.line].process;
    Progress& of = progress[process];
    while (of.next + 1 < of.last &&
           node.at >= graph.steps[of.next + 1].range.begin) {
      ++of.next;
      of.call = kNoNode;
    }
    if (of.next >= of.last || node.at < graph.steps[of.next].range.begin ||
        (of.next + 1 == of.last &&
         node.at > graph.steps[of.next].range.end)) {
      continue;
    }
    const bool leads = node.line == input_.steps.main_thread(process);
    if (node.kind != NodeKind::kWait && node.prev != kNoNode &&
        node.at > graph.steps[of.next].range.begin) {
      cost.gap = leads ? std::min(cost.gap, Overlap(loader[process], GapOf(i)))
                       : 0;
    }
    if (node.kind == NodeKind::kJoin && node.other != kNoNode) cost.lag = 0;
    if (node.kind == NodeKind::kWait) {
      of.call = kNoNode;  // a graph cannot wait for the host
      if (node.has(kFullQueue)) {
        cost.gap = 0;
        cost.lag = kNever;
      }
      continue;
    }
    if (node.kind != NodeKind::kCall || node.has(kToDevice) ||
        node.has(kSyncCall)) {
      continue;
    }
    if (!node.has(kLaunches) || of.call != kNoNode) {
      if (node.has(kLaunches)) {
        ++found;
        costs_[of.call].dur +=
            estimate == Estimate::kHopeful ? 0 : kGraphNodeNs;
      }
      cost.dur = 0;
      continue;
    }
    of.call = i;
    cost.dur = std::min(cost.dur, graph.typical_call_ns) + kGraphCallNs;
    ++found;
  }
  return found > graph.steps.size() ? found : 0;
}

uint64_t Scenario::ApplyFuseSmall(const std::string& pattern,
                                  Estimate estimate) {
  const ReplayGraph& graph = input_.graph;
  uint64_t ranges = 0;
  const TypeSet all = ~(kApiCallTypes | SetOf(STEPSCOPE_PROFILE_STEP));
  const ThreadSets within =
      pattern.empty() ? ThreadSets() : RangesNamed(pattern, all, ranges);
  if (!pattern.empty() && ranges == 0) return 0;
  // What a run of kernels must have in common.
  struct Run {
    uint32_t first = kNoNode;
    uint32_t launch = kNoNode;  // of the last
    uint64_t breaks = 0;        // waits of its thread so far
    size_t range = 0;
    int64_t sum_ns = 0;
    int64_t longest_ns = 0;
    uint64_t kernels = 0;
  };
  std::vector<Run> runs;                             // by stream
  std::vector<uint64_t> breaks(input_.tree.threads().size());
  std::vector<uint64_t> breaks_at(count());          // by call
  ThreadSets gone(input_.tree.threads().size());
  uint64_t found = 0;
  const auto finish = [&](Run& run) {
    if (run.kernels > 1) {
      const auto more = static_cast<int64_t>(run.kernels - 1);
      const int64_t fused =
          std::max(run.longest_ns, run.sum_ns - more * kKernelFixedNs);
      costs_[run.first].dur = estimate == Estimate::kCautious ? run.sum_ns
                              : estimate == Estimate::kHopeful
                                  ? run.longest_ns
                                  : fused;
      const uint32_t begin = graph.nodes[run.first].other;
      const uint32_t line = graph.nodes[begin].line;
      gone[line].push_back({RecordedEnd(begin), RecordedEnd(run.launch)});
      found += run.kernels;
    }
    run = {};
  };
  for (uint32_t i = 0; i < count(); ++i) {
    const ReplayNode& node = graph.nodes[i];
    if (node.on_host()) {
      const bool tied = node.other != kNoNode && !node.has(kFullQueue);
      if (node.kind == NodeKind::kMark || tied) ++breaks[node.line];
      breaks_at[i] = breaks[node.line];
      continue;
    }
    if (node.line >= runs.size()) runs.resize(node.line + 1);
    Run& run = runs[node.line];
    size_t range = 0;
    bool small = IsKernel(i) && node.other != kNoNode &&
                 !node.has(kInsideLaunch) &&
                 graph.costs[i].dur < kSmallKernelNs &&
                 !input_.names.collective_kernel(
                     input_.trace().name()[node.row]);
    if (small && !pattern.empty()) {
      const ReplayNode& launch = graph.nodes[node.other];
      const IntervalSet& set = within[launch.line];
      const auto after = std::partition_point(
          set.begin(), set.end(), [&](const Interval& part) {
            return part.begin <= launch.at;
          });
      small = after != set.begin() && launch.at < after[-1].end;
      range = static_cast<size_t>(after - set.begin());
    }
    const bool joins =
        small && run.kernels > 0 && run.range == range &&
        graph.nodes[run.launch].line == graph.nodes[node.other].line &&
        run.breaks == breaks_at[node.other];
    if (!joins) finish(run);
    if (!small) continue;
    if (run.kernels == 0) {
      run.first = i;
      run.range = range;
      run.breaks = breaks_at[node.other];
    } else {
      RemoveWork(i);
    }
    run.launch = node.other;
    run.sum_ns += graph.costs[i].dur;
    run.longest_ns = std::max(run.longest_ns, graph.costs[i].dur);
    ++run.kernels;
  }
  for (Run& run : runs) finish(run);
  if (found == 0) return 0;
  for (IntervalSet& set : gone) {
    IntervalCollector sorted;
    std::sort(set.begin(), set.end(), [](const Interval& a, const Interval& b) {
      return a.begin < b.begin;
    });
    for (const Interval& part : set) sorted.Add(part.begin, part.end);
    set = sorted.Finish();
  }
  ScaleHost(gone, 0, true);
  return found;
}

uint64_t Scenario::ApplyTensorCores(std::optional<double> factor,
                                    Estimate estimate) {
  double share = 0;
  int64_t shortest = 0;
  std::string basis;
  if (factor) {
    share = *factor;
  } else {
    const DevicePeaks peaks = FindDevicePeaks(input_.trace());
    share = peaks.known()
                ? peaks.float32 / (peaks.tensor * kTensorEfficiency)
                : 0.5;
    if (estimate == Estimate::kCautious) share *= 1.5;
    if (estimate == Estimate::kHopeful) share *= 0.8;
    share = std::min(share, 1.0);
    shortest = kShortestMatrixNs;
    basis = peaks.known()
                ? Format("tensor_cores: matrix kernels taken at %.2f of their "
                         "time, from the peaks of %s (%.4g float32, %.4g %s "
                         "TFLOP/s)",
                         share, peaks.device.c_str(), peaks.float32,
                         peaks.tensor, peaks.half ? "float16" : "TF32")
                : "tensor_cores: matrix kernels taken at half their time; "
                  "the trace does not name the device";
  }
  uint64_t found = 0;
  for (uint32_t i = 0; i < count(); ++i) {
    if (!IsKernel(i)) continue;
    const StringId name = input_.trace().name()[RowOf(i)];
    if (!input_.names.matrix_kernel(name) ||
        input_.names.tensor_core_kernel(name)) {
      continue;
    }
    ++found;
    const int64_t dur = costs_[i].dur;
    const auto scaled =
        static_cast<int64_t>(std::llround(static_cast<double>(dur) * share));
    costs_[i].dur = std::max(scaled, std::min(dur, shortest));
  }
  if (found > 0) note_ = basis;
  return found;
}

}  // namespace stepscope
