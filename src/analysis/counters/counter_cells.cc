// SPDX-License-Identifier: Apache-2.0
#include "analysis/counters/counter_cells.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "trace/device_counter.h"

namespace stepscope {
namespace {

std::optional<CounterMeasure> MeasureOf(DeviceCounterKind kind) {
  switch (kind) {
    case DeviceCounterKind::kSmsActive:
      return CounterMeasure::kSms;
    case DeviceCounterKind::kTensorCoresActive:
      return CounterMeasure::kTensorCores;
    case DeviceCounterKind::kDramRead:
      return CounterMeasure::kDramRead;
    case DeviceCounterKind::kDramWritten:
      return CounterMeasure::kDramWritten;
    default:
      return std::nullopt;
  }
}

// What a value of a counter is in a nanosecond.
double UnitOf(CounterMeasure measure) {
  constexpr double kOfPercent = 1e-2;
  constexpr double kSecondsOfNs = 1e-9;
  return IsOfKernels(static_cast<size_t>(measure)) ? kOfPercent : kSecondsOfNs;
}

struct CounterTrack {
  uint32_t process = 0;
  int64_t device = 0;
  CounterMeasure measure = CounterMeasure::kSms;
  std::span<const CounterSample> samples;
};

std::vector<CounterTrack> FindTracks(const Trace& trace) {
  std::vector<CounterTrack> tracks;
  std::set<std::tuple<uint32_t, int64_t, CounterMeasure>> seen;
  const std::span<const CounterSample> all(trace.counters());
  for (uint32_t i = 0; i < trace.tracks().size(); ++i) {
    const Track& track = trace.tracks()[i];
    if (track.kind != TrackKind::kCounter) continue;
    const auto counter = FindDeviceCounter(trace.str(track.name));
    if (!counter) continue;
    const std::optional<CounterMeasure> measure = MeasureOf(counter->kind);
    if (!measure ||
        !seen.emplace(track.process, counter->device, *measure).second)
      continue;
    const auto first = std::partition_point(
        all.begin(), all.end(),
        [&](const CounterSample& sample) { return sample.track < i; });
    const auto last = std::partition_point(
        first, all.end(),
        [&](const CounterSample& one) { return one.track == i; });
    tracks.push_back({track.process, counter->device, *measure, {first, last}});
  }
  return tracks;
}

bool SameTimes(std::span<const CounterSample> a,
               std::span<const CounterSample> b) {
  return std::ranges::equal(a, b, {}, &CounterSample::time_ns,
                            &CounterSample::time_ns);
}

bool IsMeasured(const CounterCell& cell) {
  return std::ranges::any_of(cell.amounts,
                             [](double amount) { return !std::isnan(amount); });
}

// Of tracks that are sampled at the same times.
std::vector<CounterCell> MakeCells(std::span<const CounterTrack> tracks) {
  std::vector<CounterCell> cells;
  const std::span<const CounterSample> times = tracks.front().samples;
  for (size_t i = 0; i + 1 < times.size(); ++i) {
    CounterCell cell;
    cell.time = {times[i].time_ns, times[i + 1].time_ns};
    cell.amounts.fill(std::numeric_limits<double>::quiet_NaN());
    if (cell.time.begin >= cell.time.end) continue;
    const auto length =
        static_cast<double>(SaturatingSubtract(cell.time.end, cell.time.begin));
    for (const CounterTrack& track : tracks) {
      const double value = track.samples[i].value;
      if (!std::isfinite(value) || value < 0) continue;
      cell.amounts[static_cast<size_t>(track.measure)] =
          value * UnitOf(track.measure) * length;
    }
    if (IsMeasured(cell)) cells.push_back(cell);
  }
  return cells;
}

}  // namespace

bool HasCounters(const Trace& trace) {
  return !trace.counters().empty() && !FindTracks(trace).empty();
}

std::vector<CounterCells> FindCounterCells(const Trace& trace) {
  std::vector<CounterTrack> tracks = FindTracks(trace);
  std::vector<CounterCells> found;
  while (!tracks.empty()) {
    const CounterTrack first = tracks.front();
    const auto others = std::stable_partition(
        tracks.begin(), tracks.end(), [&](const CounterTrack& track) {
          return track.process == first.process &&
                 track.device == first.device &&
                 SameTimes(track.samples, first.samples);
        });
    found.push_back(
        {first.process, first.device, MakeCells({tracks.begin(), others})});
    tracks.erase(tracks.begin(), others);
  }
  return found;
}

}  // namespace stepscope
