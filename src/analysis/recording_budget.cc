// SPDX-License-Identifier: Apache-2.0
#include "analysis/recording_budget.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/text.h"

namespace stepscope {
namespace {

// As in inject/step_budget.h.
constexpr std::string_view kFullStep = "recorded in full";
constexpr std::string_view kFullShare = "share recorded in full";
constexpr std::string_view kCost = "cost of recording";
constexpr std::string_view kCostLow = "cost of recording, at least";
constexpr std::string_view kCostHigh = "cost of recording, at most";

// Calls `visit(track, sample)` for every value of the counter.
template <typename Visit>
void ForEachSample(const Trace& trace, std::string_view counter, Visit visit) {
  const std::vector<CounterSample>& samples = trace.counters();
  for (auto next = samples.begin(); next != samples.end();) {
    const uint32_t at = next->track;
    const auto end = std::upper_bound(
        next, samples.end(), at,
        [](uint32_t track, const CounterSample& s) { return track < s.track; });
    const Track& track = trace.tracks()[at];
    if (trace.str(track.name) == counter)
      for (; next != end; ++next) visit(track, *next);
    next = end;
  }
}

// The last value of each process; NaN where there is none.
std::vector<double> LastValues(const Trace& trace, std::string_view counter) {
  std::vector<double> values(trace.processes().size(), std::nan(""));
  ForEachSample(trace, counter,
                [&](const Track& track, const CounterSample& sample) {
                  values[track.process] = sample.value;
                });
  return values;
}

std::string Percent(double ratio) { return Format("%.1f", ratio * 100); }

// "1 of 6 steps", "5 of 6 steps", "all steps"
std::string ShareText(double share) {
  if (share <= 0) return "none of the steps";
  if (share >= 1) return "all steps";
  if (share <= 0.5)
    return Format("1 of %lld steps",
                  static_cast<long long>(std::llround(1 / share)));
  const long long steps = std::llround(1 / (1 - share));
  return Format("%lld of %lld steps", steps - 1, steps);
}

}  // namespace

void FullSteps::Add(int64_t time_ns, bool full) {
  if (full == Has(time_ns)) return;
  changes_.push_back(time_ns);
}

bool FullSteps::Has(int64_t time_ns) const {
  const auto after =
      std::upper_bound(changes_.begin(), changes_.end(), time_ns);
  return (after - changes_.begin()) % 2 == 0;
}

std::vector<FullSteps> FindFullSteps(const Trace& trace) {
  std::vector<FullSteps> processes(trace.processes().size());
  ForEachSample(
      trace, kFullStep, [&](const Track& track, const CounterSample& sample) {
        processes[track.process].Add(sample.time_ns, sample.value != 0);
      });
  return processes;
}

std::optional<RecordingBudget> FindRecordingBudget(const Trace& trace) {
  std::optional<RecordingBudget> found;
  const std::vector<double> shares = LastValues(trace, kFullShare);
  const std::vector<double> ratios = LastValues(trace, kCost);
  const std::vector<double> lows = LastValues(trace, kCostLow);
  const std::vector<double> highs = LastValues(trace, kCostHigh);
  for (size_t i = 0; i < shares.size(); ++i) {
    if (std::isnan(shares[i])) continue;
    RecordingBudget budget{shares[i], std::nullopt};
    if (!std::isnan(ratios[i]) && !std::isnan(lows[i]) && !std::isnan(highs[i]))
      budget.cost = {ratios[i], lows[i], highs[i]};
    const bool more =
        !found || (budget.cost &&
                   (!found->cost || budget.cost->ratio > found->cost->ratio));
    if (more) found = budget;
  }
  return found;
}

std::string RecordingBudgetText(const RecordingBudget& budget) {
  const std::string steps =
      "operators were recorded in " + ShareText(budget.full_share);
  if (!budget.cost) return steps + "; their cost is not yet known";
  const RecordingBudget::Cost& cost = *budget.cost;
  // Noise: nobody gains time by being recorded.
  if (cost.low <= 0) {
    return steps + ", which cost at most " + Percent(std::max(cost.high, 0.0)) +
           " % of the time";
  }
  return steps + ", which cost " + Percent(cost.ratio) + " % of the time (" +
         Percent(cost.low) + " to " + Percent(cost.high) + ")";
}

}  // namespace stepscope
