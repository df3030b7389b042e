// SPDX-License-Identifier: Apache-2.0
//
// The change "fuse_small": small kernels in a row become one, and what the
// host did between their launches is gone.
#include <algorithm>

#include "analysis/kinds.h"
#include "analysis/replay/scenario.h"

namespace stepscope {
namespace {

// Of a small kernel, this much is its start and end, not its work.
constexpr int64_t kKernelFixedNs = 1'500;

// Small kernels of a stream that one launch could stand for.
struct KernelRun {
  uint32_t first = kNoNode;
  uint32_t launch = kNoNode;  // of the last
  uint64_t breaks = 0;        // waits and marks of the thread before it
  size_t range = 0;           // which of the named ranges
  int64_t sum_ns = 0;
  int64_t longest_ns = 0;
  int64_t kernels = 0;

  int64_t FusedNs(Estimate estimate) const {
    if (estimate == Estimate::kCautious) return sum_ns;
    if (estimate == Estimate::kHopeful) return longest_ns;
    return std::max(longest_ns, sum_ns - (kernels - 1) * kKernelFixedNs);
  }
};

// Which range a time is in, counted from 1; 0: none.
size_t RangeAt(const IntervalSet& set, int64_t time) {
  const auto after = std::partition_point(
      set.begin(), set.end(),
      [&](const Interval& part) { return part.begin <= time; });
  if (after == set.begin() || time >= after[-1].end) return 0;
  return static_cast<size_t>(after - set.begin());
}

IntervalSet Normalised(IntervalSet set) {
  std::sort(set.begin(), set.end(), [](const Interval& a, const Interval& b) {
    return a.begin < b.begin;
  });
  IntervalCollector collector;
  for (const Interval& part : set) collector.Add(part.begin, part.end);
  return collector.Finish();
}

}  // namespace

uint64_t Scenario::ApplyFuseSmall(const std::string& pattern,
                                  Estimate estimate) {
  const ReplayGraph& graph = input_.graph;
  const bool everywhere = pattern.empty();
  uint64_t ranges = 0;
  const ThreadSets within =
      everywhere ? ThreadSets() : RangesNamed(pattern, kRangeTypes, ranges);
  if (!everywhere && ranges == 0) return 0;
  std::vector<KernelRun> runs;  // by stream
  std::vector<uint32_t> breaks(input_.tree.threads().size());
  std::vector<uint32_t> breaks_at(count());  // by node of the host
  ThreadSets gone(input_.tree.threads().size());
  uint64_t found = 0;
  const auto finish = [&](KernelRun& run) {
    if (run.kernels > 1) {
      costs_[run.first].dur = run.FusedNs(estimate);
      const uint32_t begin = graph.nodes[run.first].other;
      gone[graph.nodes[begin].line].push_back(
          {graph.RecordedEnd(begin), graph.RecordedEnd(run.launch)});
      found += static_cast<uint64_t>(run.kernels);
    }
    run = {};
  };
  for (uint32_t i = 0; i < count(); ++i) {
    const ReplayNode& node = graph.nodes[i];
    if (node.on_host()) {
      const bool waits = node.other != kNoNode && !node.has(kFullQueue);
      if (node.kind == NodeKind::kMark || waits) ++breaks[node.line];
      breaks_at[i] = breaks[node.line];
      continue;
    }
    if (node.line >= runs.size()) runs.resize(node.line + 1);
    KernelRun& run = runs[node.line];
    const bool small =
        IsKernel(i) && node.other != kNoNode && !node.has(kInsideLaunch) &&
        graph.costs[i].dur < kSmallKernelNs &&
        !input_.names.collective_kernel(input_.trace().name()[node.row]);
    const ReplayNode* const launch = small ? &graph.nodes[node.other] : nullptr;
    const size_t range =
        small && !everywhere ? RangeAt(within[launch->line], launch->at) : 0;
    const bool fits = small && (everywhere || range > 0);
    if (!fits || run.kernels == 0 || run.range != range ||
        graph.nodes[run.launch].line != launch->line ||
        run.breaks != breaks_at[node.other])
      finish(run);
    if (!fits) continue;
    if (run.kernels == 0) {
      run.first = i;
      run.range = range;
      run.breaks = breaks_at[node.other];
    } else {
      RemoveWork(i);
    }
    run.launch = node.other;
    run.sum_ns += graph.costs[i].dur;
    run.longest_ns = std::max<int64_t>(run.longest_ns, graph.costs[i].dur);
    ++run.kernels;
  }
  for (KernelRun& run : runs) finish(run);
  if (found == 0) return 0;
  for (IntervalSet& set : gone) set = Normalised(std::move(set));
  ScaleHost(std::move(gone), 0, true);
  return found;
}

}  // namespace stepscope
