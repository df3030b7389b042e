// SPDX-License-Identifier: Apache-2.0
#include "analysis/device_queue.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

namespace stepscope {

std::vector<DeviceQueue> QueuesByDevice(const EventTree& tree) {
  const Trace& trace = tree.trace();
  const auto work = tree.work();
  using Key = std::tuple<uint32_t, std::string_view, int64_t>;
  std::map<Key, std::vector<uint32_t>> devices;
  std::vector<std::vector<uint32_t>*> of_track(trace.tracks().size());
  for (uint32_t i = 0; i < work.size(); ++i) {
    const uint32_t at = trace.track()[work[i].row];
    if (of_track[at] == nullptr) {
      const Track& track = trace.tracks()[at];
      of_track[at] =
          &devices[{track.process, trace.str(track.device_type), track.device}];
    }
    of_track[at]->push_back(i);
  }
  const auto start = trace.start_ns();
  const auto begins_earlier = [&](uint32_t a, uint32_t b) {
    return start[work[a].row] < start[work[b].row];
  };
  std::vector<DeviceQueue> queues;
  for (auto& [key, list] : devices) {
    if (!std::ranges::is_sorted(list, begins_earlier))
      std::ranges::stable_sort(list, begins_earlier);
    queues.push_back({std::get<0>(key), std::move(list)});
  }
  return queues;
}

}  // namespace stepscope
