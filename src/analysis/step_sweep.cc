// SPDX-License-Identifier: Apache-2.0
#include "analysis/step_sweep.h"

#include <algorithm>
#include <map>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

#include "analysis/kinds.h"
#include "analysis/process_sweep.h"

namespace stepscope {
namespace {

constexpr uint32_t kNoDevice = 0xffffffffu;

// Indices by the process they belong to, each process' in their order: a trace
// of thousands of processes is not searched once for each.
class ByProcess {
 public:
  // `process_of(i)`: of the index i < count.
  template <typename ProcessOf>
  ByProcess(size_t processes, size_t count, ProcessOf process_of)
      : first_(processes + 1), indices_(count) {
    for (uint32_t i = 0; i < count; ++i) ++first_[process_of(i) + 1];
    for (size_t p = 1; p < first_.size(); ++p) first_[p] += first_[p - 1];
    std::vector<uint32_t> next = first_;
    for (uint32_t i = 0; i < count; ++i) indices_[next[process_of(i)]++] = i;
  }
  std::span<const uint32_t> of(uint32_t process) const {
    return std::span(indices_).subspan(first_[process],
                                       first_[process + 1] - first_[process]);
  }

 private:
  std::vector<uint32_t> first_;
  std::vector<uint32_t> indices_;
};

}  // namespace

std::vector<StepRange> RangesOfSteps(const StepTable& steps, uint32_t process) {
  const uint32_t main = steps.main_thread(process);
  if (main == kNoThread) return {};
  const bool device = steps.device_paces(main);
  std::vector<StepRange> ranges;
  int64_t until = INT64_MIN;
  for (const StepInterval& step : steps.steps_of(main)) {
    const Interval whole =
        device ? Interval{step.period_begin_ns,
                          SaturatingAdd(step.period_begin_ns, step.period_ns)}
               : step.range;
    const Interval range{std::max(whole.begin, until),
                         std::max(whole.end, until)};
    until = range.end;
    ranges.push_back({&step, range});
  }
  return ranges;
}

StepSweep::StepSweep(const EventTree& tree, const StepTable& steps,
                     NameClasses& names, const Communication& communication)
    : tree_(tree),
      steps_(steps),
      names_(names),
      communication_(communication),
      device_of_track_(tree.trace().tracks().size(), kNoDevice) {
  const Trace& trace = tree.trace();
  using Key = std::tuple<uint32_t, std::string_view, int64_t>;
  std::map<Key, uint32_t> indices;
  std::vector<Key> key_of_track(trace.tracks().size());
  for (uint32_t i = 0; i < trace.tracks().size(); ++i) {
    const Track& track = trace.tracks()[i];
    if (track.kind != TrackKind::kStream ||
        (tree.census().types(i) & kDeviceWorkTypes) == 0)
      continue;
    key_of_track[i] = {track.process, trace.str(track.device_type),
                       track.device};
    indices[key_of_track[i]] = 0;
    device_of_track_[i] = 0;
  }
  for (auto& [key, index] : indices) {
    const auto& [process, type, id] = key;
    index = static_cast<uint32_t>(devices_.size());
    devices_.push_back({process, (type.empty() ? "GPU" : std::string(type)) +
                                     std::to_string(id)});
  }
  for (size_t i = 0; i < key_of_track.size(); ++i) {
    if (device_of_track_[i] == kNoDevice) continue;
    device_of_track_[i] = indices[key_of_track[i]];
  }
}

namespace {

bool HasEvents(const Trace& trace, std::span<const uint32_t> tracks) {
  return std::any_of(tracks.begin(), tracks.end(), [&](uint32_t i) {
    return trace.tracks()[i].first < trace.tracks()[i].last;
  });
}

}  // namespace

void StepSweep::Run(const std::function<void(const StepWindow&)>& visit) const {
  const Trace& trace = tree_.trace();
  const auto work = tree_.work();
  const size_t processes = trace.processes().size();
  const ByProcess tracks(processes, trace.tracks().size(),
                         [&](uint32_t i) { return trace.tracks()[i].process; });
  // Without communication there is nothing to hide.
  std::vector<IntervalSet> on_host;
  if (communication_.host_calls() > 0)
    on_host = HostComputation(tree_, communication_);
  StepWindow window;
  uint32_t first_device = 0;
  for (uint32_t process = 0; process < processes; ++process) {
    const std::vector<StepRange> ranges =
        steps_.steps().empty()
            ? std::vector<StepRange>{{nullptr, steps_.window()}}
            : RangesOfSteps(steps_, process);
    // Who recorded nothing has no window either: Nsight Systems lists every
    // process of the machine.
    if (ranges.empty() || !HasEvents(trace, tracks.of(process))) continue;
    while (first_device < devices_.size() &&
           devices_[first_device].process < process)
      ++first_device;
    ProcessSweep sweep(tree_, names_, communication_);
    const uint32_t main = steps_.main_thread(process);
    if (!on_host.empty()) sweep.SetHostComputation(std::move(on_host[process]));
    for (const uint32_t i : tracks.of(process)) {
      const Track& track = trace.tracks()[i];
      if (track.first == track.last) continue;
      if (track.kind == TrackKind::kThread) {
        sweep.AddThread(
            track, main == kNoThread || tree_.threads().of_track(i) == main);
      } else if (device_of_track_[i] != kNoDevice) {
        const auto before = [](const DeviceWork& a, Row row) {
          return a.row < row;
        };
        const auto first =
            std::lower_bound(work.begin(), work.end(), track.first, before);
        const auto last =
            std::lower_bound(first, work.end(), track.last, before);
        sweep.AddStream(device_of_track_[i] - first_device,
                        static_cast<size_t>(first - work.begin()),
                        static_cast<size_t>(last - work.begin()));
      }
    }
    window.process = process;
    window.first_device = first_device;
    for (const StepRange& step : ranges) {
      window.step = step.step;
      window.range = step.range;
      sweep.Fill(window);
      if (!window.knows_devices()) {
        for (IntervalSet& idle : window.idle) idle.clear();
        for (IntervalSet& pieces : window.pieces) pieces.clear();
      }
      visit(window);
    }
  }
}

}  // namespace stepscope
