// SPDX-License-Identifier: Apache-2.0
#include "analysis/advice/hidden_work.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace stepscope {
namespace {

// From the end of a launch to the begin of its work take microseconds.
constexpr int64_t kLongestLatencyNs = 1'000'000;

using StepsOfProcess = std::map<uint32_t, IntervalSet>;

void AddDevice(const EventTree& tree, const StepsOfProcess& steps,
               std::vector<DeviceWork>& works, HiddenWork& hidden) {
  const Trace& trace = tree.trace();
  const auto start = trace.start_ns();
  std::sort(works.begin(), works.end(),
            [&](const DeviceWork& a, const DeviceWork& b) {
              return start[a.row] < start[b.row];
            });
  // What came before the first is not known at all.
  int64_t until = INT64_MIN;
  for (const DeviceWork& work : works) {
    if (work.launch != kNoRow) {
      const Interval waited = {std::max(until, tree.end_ns(work.launch)),
                               start[work.row]};
      const uint32_t process = trace.tracks()[trace.track()[work.row]].process;
      const auto found = steps.find(process);
      if (found != steps.end() && waited.end > waited.begin &&
          waited.end - waited.begin >= kLongestLatencyNs) {
        const int64_t ns = OverlapLength({&waited, 1}, found->second);
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
  StepsOfProcess of_process;
  for (auto& [process, collector] : collectors)
    of_process[process] = collector.Finish();
  std::map<std::pair<uint32_t, int64_t>, std::vector<DeviceWork>> devices;
  for (const DeviceWork& work : tree.work()) {
    const Trace& trace = tree.trace();
    const Track& track = trace.tracks()[trace.track()[work.row]];
    devices[{track.process, track.device}].push_back(work);
  }
  HiddenWork hidden;
  for (auto& [device, works] : devices)
    AddDevice(tree, of_process, works, hidden);
  return hidden;
}

}  // namespace stepscope
