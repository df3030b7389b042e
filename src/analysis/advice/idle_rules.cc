// SPDX-License-Identifier: Apache-2.0
//
// A device that is idle for much of the step is never left unnamed: where no
// other finding speaks of that time, this one says what the host did meanwhile.
#include <algorithm>
#include <utility>

#include "analysis/advice/idle_ranges.h"
#include "analysis/advice/program.h"
#include "analysis/advice/rules.h"
#include "analysis/order_statistics.h"
#include "analysis/stats.h"
#include "base/stable_sort.h"
#include "base/text.h"

namespace stepscope {
namespace {

// What goes on while a device is idle, in words.
std::string_view WordsFor(StepPart cause) {
  switch (cause) {
    case StepPart::kCommunication:
      return "the host communicated";
    case StepPart::kLaunchGap:
      return "work was launched and had not begun";
    case StepPart::kInputStall:
      return "the step waited for data";
    case StepPart::kHostSync:
      return "the host waited for the device";
    case StepPart::kOtherCpu:
      return "the host ran other code";
    case StepPart::kUnexplained:
      return "nothing was recorded on the host (Python between calls, say)";
    case StepPart::kKernel:
    case StepPart::kCopy:
      break;
  }
  return "";
}

std::vector<std::string> Remedies(Compiled compiled) {
  if (compiled == Compiled::kXla) {
    return {
        "one compiled function for the whole step, or several steps in a "
        "loop inside it (lax.scan): each call is dispatched by the host",
        "not reading results (block_until_ready, float(loss)) in every "
        "step",
        "a larger batch: more work per call"};
  }
  return {
      "looking at the host's code in the ranges above: it holds the "
      "device up",
      "doing that work ahead of time or on another thread",
      "a larger batch: more device work for the same host work"};
}

// How long the only device was idle in each step. Empty: there are several, or
// communication, of which the parts of a step do not say where it ran.
std::vector<int64_t> IdleByStep(const AdviceInput& input) {
  const Waterfall& waterfall = input.waterfall();
  std::vector<int64_t> by_step;
  if (input.summary.idle.devices.size() != 1 ||
      waterfall.part(StepPart::kCommunication) > 0)
    return by_step;
  for (const StepParts& step : waterfall.steps) {
    by_step.push_back(step.length() -
                      step.part_ns[static_cast<size_t>(StepPart::kKernel)] -
                      step.part_ns[static_cast<size_t>(StepPart::kCopy)]);
  }
  return by_step;
}

}  // namespace

void FindIdleDevice(const AdviceInput& input, Advice& advice) {
  constexpr double kMuch = 0.1;       // of the steps
  constexpr double kExplained = 0.3;  // of the idle time
  constexpr double kNamed = 0.05;     // of the steps
  const IdleDevice* const device = input.BusiestDevice();
  if (device == nullptr || !input.TrustsIdleTime()) return;
  const double share = Ratio(device->idle_ns, device->step_ns);
  if (share < kMuch) return;
  const auto idle =
      static_cast<int64_t>(share * static_cast<double>(advice.step_ns));
  int64_t explained = 0;
  for (const Finding& finding : advice.findings) {
    if (finding.average) continue;  // about other steps than the usual one
    explained = std::max(explained, finding.saving_ns);
  }
  if (static_cast<double>(explained) > kExplained * static_cast<double>(idle))
    return;
  // Of a step of its process, as if all had as long ones.
  const auto per_step = [&](int64_t ns) {
    return input.PerStep(
        static_cast<int64_t>(Ratio(ns, device->step_ns) *
                             static_cast<double>(input.waterfall().step_ns)));
  };
  Finding finding;
  finding.id = "device_idle";
  const std::vector<int64_t> by_step = IdleByStep(input);
  const bool knows_steps = !by_step.empty() && input.summary.has_steps;
  finding.finding =
      device->name + " is idle for " +
      (knows_steps ? input.PerMedianStep(by_step) : per_step(device->idle_ns)) +
      ": the host does not keep it busy.";
  finding.change = "host=0.5";
  finding.always = true;
  // What the change saves at most, as in the replay of it: the rest of the idle
  // time is the host's other half.
  finding.saving_ns =
      (knows_steps
           ? Median(by_step)
           : static_cast<int64_t>(
                 share * static_cast<double>(advice.recorded_step_ns))) /
      2;
  finding.saving_basis = "the host does its work in half the time";
  std::vector<const IdleRow*> causes;
  for (const IdleRow& row : device->rows) causes.push_back(&row);
  StableSort(causes.begin(), causes.end(),
             [](const IdleRow* a, const IdleRow* b) {
               return a->time_ns > b->time_ns;
             });
  for (const IdleRow* row : causes) {
    const double part = Ratio(row->time_ns, device->step_ns);
    if (part < kNamed) break;
    finding.evidence.push_back(
        {"The device is idle for " + per_step(row->time_ns) + " while " +
             std::string(WordsFor(row->cause)) + ": " +
             CountText(row->gaps, "gap") + ", the longest of " +
             Milliseconds(row->longest_ns) + ".",
         "", kNoRow, row->gaps, row->time_ns, LongestGap(*row)});
  }
  const IdleRanges ranges = FindIdleRanges(input);
  size_t shown = 0;
  for (const IdleRange& range : ranges.ranges) {
    if (shown++ == kMostExamples || !input.IsWorthSaying(range.idle_ns)) break;
    finding.evidence.push_back(
        {"The device is idle for " + input.PerStep(range.idle_ns) + " under " +
             range.name + ", in " + CountText(range.calls, "call") + ".",
         range.name, range.example, range.calls, range.idle_ns});
  }
  if (finding.evidence.empty()) {
    finding.evidence.push_back(
        {"It was idle for " + Milliseconds(device->idle_ns) + " in all.", "",
         kNoRow, 0, device->idle_ns});
  }
  finding.to_try = Remedies(FindCompiled(input));
  advice.findings.push_back(std::move(finding));
}

}  // namespace stepscope
