// SPDX-License-Identifier: Apache-2.0
#include "analysis/advice/hidden_work.h"

#include <algorithm>
#include <map>

#include "analysis/device_queue.h"

namespace stepscope {
namespace {

// From the end of a launch to the begin of its work take microseconds.
constexpr int64_t kLongestLatencyNs = 1'000'000;

void AddDevice(const EventTree& tree, const IntervalSet& steps,
               const DeviceQueue& device, HiddenWork& hidden) {
  const auto start = tree.trace().start_ns();
  // What came before the first is not known at all.
  int64_t until = INT64_MIN;
  for (const uint32_t index : device.work) {
    const DeviceWork& work = tree.work()[index];
    if (work.launch != kNoRow) {
      const Interval waited = {std::max(until, tree.end_ns(work.launch)),
                               start[work.row]};
      if (waited.end > waited.begin &&
          waited.end - waited.begin >= kLongestLatencyNs) {
        const int64_t ns = OverlapLength({&waited, 1}, steps);
        hidden.time_ns = SaturatingAdd(hidden.time_ns, ns);
        hidden.longest_ns = std::max(hidden.longest_ns, ns);
      }
    }
    until = std::max(until, tree.end_ns(work.row));
  }
}

}  // namespace

HiddenWork FindHiddenWork(const EventTree& tree,
                          std::span<const StepParts> steps) {
  std::map<uint32_t, IntervalCollector> collectors;
  for (const StepParts& step : steps)
    collectors[step.process].Add(step.range.begin, step.range.end);
  std::map<uint32_t, IntervalSet> of_process;
  for (auto& [process, collector] : collectors)
    of_process[process] = collector.Finish();
  HiddenWork hidden;
  for (const DeviceQueue& device : QueuesByDevice(tree)) {
    const auto found = of_process.find(device.process);
    if (found != of_process.end())
      AddDevice(tree, found->second, device, hidden);
  }
  return hidden;
}

}  // namespace stepscope
