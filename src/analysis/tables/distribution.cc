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

// Busy time of host events that communicate, by thread.
std::vector<IntervalSet> HostCommunication(const EventTree& tree,
                                           NameClasses& names,
                                           Distribution& result) {
  const Trace& trace = tree.trace();
  const auto type = trace.type();
  std::vector<IntervalSet> by_thread(tree.threads().size());
  for (size_t i = 0; i < by_thread.size(); ++i) {
    IntervalCollector thread;
    tree.threads().ForEachRow(i, [&](Row row) {
      const uint16_t t = type[row];
      const bool named = t == STEPSCOPE_OPERATOR || IsUserDefined(t);
      if (t != STEPSCOPE_COMMUNICATION &&
          !(named && names.collective_event(trace.name()[row]))) {
        return;
      }
      ++result.host_calls;
      thread.Add(trace.start_ns()[row], tree.end_ns(row));
    });
    by_thread[i] = thread.Finish();
  }
  return by_thread;
}

// The common case: one machine, no communication. Streams are sorted, so with
// one of them nothing has to be kept.
int64_t KernelTime(const EventTree& tree) {
  const Trace& trace = tree.trace();
  uint32_t streams = 0;
  uint32_t last = kNoThread;
  for (const DeviceWork& work : tree.work()) {
    const uint32_t track = trace.track()[work.row];
    if (track != last && trace.type()[work.row] == STEPSCOPE_KERNEL) {
      ++streams;
      last = track;
    }
  }
  BusyTime kernels(streams <= 1);
  for (const DeviceWork& work : tree.work()) {
    if (trace.type()[work.row] != STEPSCOPE_KERNEL) continue;
    kernels.Add(trace.start_ns()[work.row], tree.end_ns(work.row));
  }
  return kernels.Finish();
}

}  // namespace

Distribution ComputeDistribution(const EventTree& tree, NameClasses& names) {
  const Trace& trace = tree.trace();
  const auto type = trace.type();
  const auto name = trace.name();
  Distribution result;
  const std::vector<IntervalSet> by_thread =
      HostCommunication(tree, names, result);
  const bool any_kernel = std::any_of(
      tree.work().begin(), tree.work().end(), [&](const DeviceWork& work) {
        return type[work.row] == STEPSCOPE_KERNEL &&
               names.collective_kernel(name[work.row]);
      });
  if (result.host_calls == 0 && !any_kernel) {
    result.kernel_ns = result.computation_ns = KernelTime(tree);
    return result;
  }

  IntervalCollector host;
  for (const IntervalSet& thread : by_thread) {
    for (const Interval& part : thread) host.Add(part.begin, part.end);
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
  result.kernel_ns = TotalLength(Union(gpu_set, compute_set));
  result.communication_ns = TotalLength(both);
  result.computation_ns = TotalLength(compute_set);
  result.overlap_ns = TotalLength(Intersection(both, compute_set));
  return result;
}

}  // namespace stepscope
