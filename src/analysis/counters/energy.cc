// SPDX-License-Identifier: Apache-2.0
#include "analysis/counters/energy.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "base/wide_integer.h"
#include "trace/device_counter.h"

namespace stepscope {
namespace {

// More than all devices on earth use while somebody records.
constexpr int64_t kMostMj = int64_t{1} << 60;

// `amount` x `part` / `whole`.
int64_t ShareOf(int64_t amount, int64_t part, int64_t whole) {
  return static_cast<int64_t>(static_cast<WideInteger>(amount) * part / whole);
}

std::optional<int64_t> Millijoules(double joules) {
  if (!(joules >= 0) || joules * 1e3 >= static_cast<double>(kMostMj))
    return std::nullopt;
  return std::llround(joules * 1e3);
}

using Samples = std::span<const CounterSample>;

// The value that begins at a time.
std::optional<int64_t> ValueAt(Samples samples, int64_t time_ns) {
  const auto found =
      std::ranges::lower_bound(samples, time_ns, {}, &CounterSample::time_ns);
  if (found == samples.end() || found->time_ns != time_ns) return std::nullopt;
  return Millijoules(found->value);
}

std::vector<EnergyWindow> MakeWindows(Samples energy, Samples steps) {
  std::vector<EnergyWindow> windows;
  int64_t sum_mj = 0;
  int64_t sum_ns = 0;
  for (size_t i = 0; i + 1 < energy.size(); ++i) {
    const Interval time{energy[i].time_ns, energy[i + 1].time_ns};
    const int64_t ns = SaturatingSubtract(time.end, time.begin);
    const auto mj = Millijoules(energy[i].value);
    const auto step_mj = ValueAt(steps, time.begin);
    if (!mj || !step_mj || ns <= 0 || ns >= INT64_MAX - sum_ns ||
        *mj > kMostMj - sum_mj || *step_mj > *mj)
      continue;
    sum_mj += *mj;
    sum_ns += ns;
    windows.push_back({time, *mj, *step_mj});
  }
  return windows;
}

Samples SamplesOf(const Trace& trace, uint32_t track) {
  const auto found = std::ranges::equal_range(trace.counters(), track, {},
                                              &CounterSample::track);
  return {found.begin(), found.end()};
}

}  // namespace

DeviceEnergy::DeviceEnergy(uint32_t process, int64_t device,
                           std::vector<EnergyWindow> windows)
    : process_(process), device_(device), windows_(std::move(windows)) {
  before_.resize(windows_.size() + 1);
  for (size_t i = 0; i < windows_.size(); ++i) {
    const Interval& time = windows_[i].time;
    before_[i + 1] = {before_[i].mj + windows_[i].mj,
                      before_[i].ns + (time.end - time.begin)};
  }
}

size_t DeviceEnergy::FirstAfter(int64_t time_ns) const {
  const auto found = std::ranges::upper_bound(
      windows_, time_ns, {},
      [](const EnergyWindow& window) { return window.time.end; });
  return static_cast<size_t>(found - windows_.begin());
}

DeviceEnergy::Spent DeviceEnergy::Until(int64_t time_ns) const {
  const size_t i = FirstAfter(time_ns);
  Spent spent = before_[i];
  if (i == windows_.size() || time_ns <= windows_[i].time.begin) return spent;
  const Interval& time = windows_[i].time;
  const int64_t ns = time_ns - time.begin;
  spent.mj += ShareOf(windows_[i].mj, ns, time.end - time.begin);
  spent.ns += ns;
  return spent;
}

EnergyPart DeviceEnergy::Of(const Interval& time) const {
  EnergyPart part;
  if (time.begin >= time.end) return part;
  const Spent from = Until(time.begin);
  const Spent until = Until(time.end);
  part.mj = until.mj - from.mj;
  part.measured_ns = until.ns - from.ns;
  for (size_t i = FirstAfter(time.begin);
       i < windows_.size() && windows_[i].time.begin < time.end; ++i) {
    const EnergyWindow& window = windows_[i];
    const int64_t whole = window.time.end - window.time.begin;
    const int64_t ns = std::min(window.time.end, time.end) -
                       std::max(window.time.begin, time.begin);
    if (ns < whole) {
      part.shared = true;
      part.error_mj += ShareOf(2 * window.step_mj, ns, whole) + 1;
      continue;
    }
    // One reading ends a window and begins the next: only the outer ends of
    // whole windows count.
    const bool follows = i > 0 &&
                         windows_[i - 1].time.end == window.time.begin &&
                         windows_[i - 1].time.begin >= time.begin;
    const bool goes_on = i + 1 < windows_.size() &&
                         windows_[i + 1].time.begin == window.time.end &&
                         windows_[i + 1].time.end <= time.end;
    part.error_mj +=
        (follows ? 0 : window.step_mj) + (goes_on ? 0 : window.step_mj);
  }
  return part;
}

EnergyPart DeviceEnergy::All() const {
  if (windows_.empty()) return {};
  return Of({windows_.front().time.begin, windows_.back().time.end});
}

std::vector<DeviceEnergy> FindDeviceEnergy(const Trace& trace) {
  // The first track of each counter, by process and device.
  using Tracks = std::pair<std::optional<uint32_t>, std::optional<uint32_t>>;
  std::map<std::pair<uint32_t, int64_t>, Tracks> found;
  for (uint32_t i = 0; i < trace.tracks().size(); ++i) {
    const Track& track = trace.tracks()[i];
    if (track.kind != TrackKind::kCounter) continue;
    const auto counter = FindDeviceCounter(trace.str(track.name));
    if (!counter) continue;
    Tracks& tracks = found[{track.process, counter->device}];
    if (counter->kind == DeviceCounterKind::kEnergy && !tracks.first)
      tracks.first = i;
    if (counter->kind == DeviceCounterKind::kEnergyStep && !tracks.second)
      tracks.second = i;
  }
  std::vector<DeviceEnergy> devices;
  for (const auto& [of, tracks] : found) {
    if (!tracks.first || !tracks.second) continue;
    auto windows = MakeWindows(SamplesOf(trace, *tracks.first),
                               SamplesOf(trace, *tracks.second));
    if (!windows.empty())
      devices.emplace_back(of.first, of.second, std::move(windows));
  }
  return devices;
}

}  // namespace stepscope
