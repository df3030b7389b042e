// SPDX-License-Identifier: Apache-2.0
#include "analysis/tables/distribution.h"

#include <algorithm>

#include "analysis/kinds.h"

namespace stepscope {
namespace {

bool Contains(const IntervalSet& set, int64_t time_ns) {
  const auto after = std::upper_bound(
      set.begin(), set.end(), time_ns,
      [](int64_t time, const Interval& part) { return time < part.begin; });
  return after != set.begin() && time_ns < after[-1].end;
}

}  // namespace

Distribution ComputeDistribution(const EventTree& tree, NameClasses& names) {
  const Trace& trace = tree.trace();
  const auto type = trace.type();
  const auto name = trace.name();
  Distribution result;
  std::vector<IntervalSet> by_thread(tree.threads().size());
  IntervalCollector host;
  for (size_t i = 0; i < by_thread.size(); ++i) {
    IntervalCollector thread;
    tree.threads().ForEachRow(i, [&](Row row) {
      const uint16_t t = type[row];
      const bool named = t == STEPSCOPE_OPERATOR || IsUserDefined(t);
      if (t != STEPSCOPE_COMMUNICATION &&
          !(named && names.collective_event(name[row]))) {
        return;
      }
      ++result.host_calls;
      thread.Add(trace.start_ns()[row], tree.end_ns(row));
    });
    by_thread[i] = thread.Finish();
    for (const Interval& part : by_thread[i]) host.Add(part.begin, part.end);
  }

  IntervalCollector communication;
  IntervalCollector computation;
  for (const DeviceWork& work : tree.work()) {
    if (type[work.row] != STEPSCOPE_KERNEL) continue;
    bool communicates = names.collective_kernel(name[work.row]);
    if (!communicates && work.launch != kNoRow) {
      communicates = Contains(by_thread[tree.thread_of(work.launch)],
                              trace.start_ns()[work.launch]);
    }
    if (communicates) ++result.gpu_calls;
    (communicates ? communication : computation)
        .Add(trace.start_ns()[work.row], tree.end_ns(work.row));
  }
  const IntervalSet host_set = host.Finish();
  const IntervalSet gpu_set = communication.Finish();
  const IntervalSet compute_set = computation.Finish();
  const IntervalSet both = Union(host_set, gpu_set);
  result.host_ns = TotalLength(host_set);
  result.gpu_ns = TotalLength(gpu_set);
  result.communication_ns = TotalLength(both);
  result.computation_ns = TotalLength(compute_set);
  result.overlap_ns = TotalLength(Intersection(both, compute_set));
  return result;
}

}  // namespace stepscope
