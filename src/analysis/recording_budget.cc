// SPDX-License-Identifier: Apache-2.0
#include "analysis/recording_budget.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/text.h"
#include "trace/device_counter.h"

namespace stepscope {
namespace {

// As in inject/step_budget.h.
constexpr std::string_view kFullStep = "recorded in full";
constexpr std::string_view kFullDevice = "device recorded in full";
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
  said_.push_back({time_ns, full});
}

const FullSteps::Said* FullSteps::Last(int64_t time_ns) const {
  const auto after = std::upper_bound(
      said_.begin(), said_.end(), time_ns,
      [](int64_t time, const Said& said) { return time < said.time_ns; });
  return after == said_.begin() ? nullptr : &after[-1];
}

bool FullSteps::Has(int64_t time_ns) const {
  const Said* const last = Last(time_ns);
  return last == nullptr || last->full;
}

int64_t FullSteps::SaidAt(int64_t time_ns) const {
  const Said* const last = Last(time_ns);
  return last == nullptr ? time_ns : last->time_ns;
}

std::vector<FullSteps> FindFullSteps(const Trace& trace) {
  std::vector<FullSteps> processes(trace.processes().size());
  ForEachSample(
      trace, kFullStep, [&](const Track& track, const CounterSample& sample) {
        processes[track.process].Add(sample.time_ns, sample.value != 0);
      });
  ForEachSample(trace, kFullDevice,
                [&](const Track& track, const CounterSample&) {
                  processes[track.process].SetOfDevice();
                });
  return processes;
}

std::optional<RecordingBudget> FindRecordingBudget(const Trace& trace) {
  std::optional<RecordingBudget> found;
  const std::vector<double> shares = LastValues(trace, kFullShare);
  const std::vector<double> ratios = LastValues(trace, kCost);
  const std::vector<double> lows = LastValues(trace, kCostLow);
  const std::vector<double> highs = LastValues(trace, kCostHigh);
  const std::vector<double> devices = LastValues(trace, kFullDevice);
  const bool counters =
      std::ranges::any_of(trace.tracks(), [&](const Track& track) {
        return track.kind == TrackKind::kCounter &&
               FindDeviceCounter(trace.str(track.name));
      });
  for (size_t i = 0; i < shares.size(); ++i) {
    if (std::isnan(shares[i])) continue;
    RecordingBudget budget{.full_share = shares[i],
                           .cost = std::nullopt,
                           .of_device = !std::isnan(devices[i]),
                           .counters = counters};
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
  std::string text =
      budget.of_device ? "operators and device work were" : "operators were";
  text += " recorded in " + ShareText(budget.full_share);
  if (!budget.cost) {
    text += "; their cost is not yet known";
  } else if (const RecordingBudget::Cost& cost = *budget.cost; cost.low <= 0) {
    // Noise: nobody gains time by being recorded.
    text += ", which cost at most " + Percent(std::max(cost.high, 0.0)) +
            " % of the time";
  } else {
    text += ", which cost " + Percent(cost.ratio) + " % of the time (" +
            Percent(cost.low) + " to " + Percent(cost.high) + ")";
  }
  if (budget.of_device)
    text += "; what the device's recorder costs in the others is not known";
  if (budget.counters)
    text +=
        "; counters of the device were read in all steps, which is not in "
        "it";
  return text;
}

}  // namespace stepscope
