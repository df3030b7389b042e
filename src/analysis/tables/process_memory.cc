// SPDX-License-Identifier: Apache-2.0
#include "analysis/tables/process_memory.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "analysis/order_statistics.h"
#include "analysis/process_name.h"
#include "analysis/step_finder.h"

namespace stepscope {
namespace {

// As python/stepscope/_memory.py names it.
constexpr std::string_view kMemoryCounter = "process memory";
constexpr std::string_view kHostMemory = "host memory";
constexpr std::string_view kTheProcess = "the process";

// The first steps set things up.
constexpr size_t kSetUpSteps = 2;
constexpr size_t kFewestGrowths = 4;
// A heap takes some pages now and then without anything being kept.
constexpr int64_t kLeastGrowth = 64 * 1024;
// A step in so many may give some back, for example when garbage is collected.
constexpr size_t kGivesBack = 5;

struct MemorySeries {
  std::vector<int64_t> bytes;
  std::vector<int64_t> times_ns;
};

// The last sample of each step. Steps that are shorter than the time between
// samples have none, and count for the next that has.
struct StepSeries {
  std::vector<int64_t> bytes;
  uint64_t steps = 0;  // after those that set things up
};

StepSeries ByStep(const MemorySeries& series, uint32_t process,
                  const StepFinder& finder) {
  StepSeries by_step;
  std::vector<uint32_t> steps;
  for (size_t i = 0; i < series.bytes.size(); ++i) {
    const uint32_t step = finder.Find(process, series.times_ns[i]);
    if (step == StepFinder::kNone) continue;
    if (!steps.empty() && steps.back() == step) {
      by_step.bytes.back() = series.bytes[i];
      continue;
    }
    steps.push_back(step);
    by_step.bytes.push_back(series.bytes[i]);
  }
  if (steps.size() > kSetUpSteps)
    by_step.steps = steps.back() - steps[kSetUpSteps];
  return by_step;
}

void FindSteadyGrowth(const std::vector<int64_t>& bytes, uint64_t steps,
                      MemoryLife& life) {
  if (bytes.size() < kSetUpSteps + kFewestGrowths + 1) return;
  std::vector<int64_t> growth;
  for (size_t i = kSetUpSteps + 1; i < bytes.size(); ++i)
    growth.push_back(SaturatingSubtract(bytes[i], bytes[i - 1]));
  const auto grew = static_cast<size_t>(std::count_if(
      growth.begin(), growth.end(), [](int64_t more) { return more > 0; }));
  if (grew + growth.size() / kGivesBack < growth.size() ||
      Median(growth) < kLeastGrowth)
    return;
  const int64_t total = SaturatingSubtract(bytes.back(), bytes[kSetUpSteps]);
  if (total < kLeastGrowth * static_cast<int64_t>(growth.size())) return;
  life.leaks.push_back(
      {kTheProcess, total, 0, steps > 0 ? steps : growth.size(), kNoRow, {}});
}

// A recorder that samples at each step begins with one sample more.
bool IsSampledOften(const MemorySeries& series, size_t steps) {
  return steps > 0 && series.bytes.size() > steps + 2;
}

MemoryPlace PlaceOfSeries(const Trace& trace, const MemorySeries& series,
                          uint32_t process, const StepFinder& finder) {
  MemoryPlace place;
  place.place = kHostMemory;
  place.process = process;
  place.process_name = NameAmongSeveral(trace, process);
  const auto most = std::max_element(series.bytes.begin(), series.bytes.end());
  place.peak_allocated_bytes = *most;
  place.life.peak_at_ns =
      series.times_ns[static_cast<size_t>(most - series.bytes.begin())];
  MemoryRow row;
  row.name = kTheProcess;
  for (size_t i = 1; i < series.bytes.size(); ++i) {
    const int64_t more =
        SaturatingSubtract(series.bytes[i], series.bytes[i - 1]);
    int64_t& sum = more > 0 ? row.allocated_bytes : row.freed_bytes;
    sum = SaturatingAdd(sum, Magnitude(more));
  }
  place.rows.push_back(row);
  if (const StepSeries by_step = ByStep(series, process, finder);
      IsSampledOften(series, finder.count(process)) ||
      by_step.steps > by_step.bytes.size())
    FindSteadyGrowth(by_step.bytes, by_step.steps, place.life);
  else
    FindSteadyGrowth(series.bytes, 0, place.life);
  return place;
}

}  // namespace

std::vector<MemoryPlace> ComputeProcessMemory(const EventTree& tree,
                                              const StepTable& steps) {
  const Trace& trace = tree.trace();
  std::map<uint32_t, MemorySeries> by_process;
  for (const CounterSample& sample : trace.counters()) {
    const Track& track = trace.tracks()[sample.track];
    // Also what is no number at all is not a size.
    if (trace.str(track.name) != kMemoryCounter ||
        !(sample.value >= 0 && sample.value < 9e18))
      continue;
    MemorySeries& series = by_process[track.process];
    series.bytes.push_back(static_cast<int64_t>(sample.value));
    series.times_ns.push_back(sample.time_ns);
  }
  std::vector<MemoryPlace> places;
  const StepFinder finder(tree, steps);
  for (const auto& [process, series] : by_process)
    places.push_back(PlaceOfSeries(trace, series, process, finder));
  return places;
}

}  // namespace stepscope
