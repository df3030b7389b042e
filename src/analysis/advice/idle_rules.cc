// SPDX-License-Identifier: Apache-2.0
//
// A device that is idle for much of the step is never left unnamed: where no
// other finding speaks of that time, this one says what the host did meanwhile.
#include <algorithm>
#include <utility>

#include "analysis/advice/idle_ranges.h"
#include "analysis/advice/program.h"
#include "analysis/advice/rules.h"
#include "analysis/stats.h"

namespace stepscope {
namespace {

// What goes on while a device is idle, in words.
std::string_view WordsFor(StepPart cause) {
  switch (cause) {
    case StepPart::kCommunication: return "the host communicated";
    case StepPart::kLaunchGap: return "work was launched and had not begun";
    case StepPart::kInputStall: return "the step waited for data";
    case StepPart::kHostSync: return "the host waited for the device";
    case StepPart::kOtherCpu: return "the host ran other code";
    case StepPart::kUnexplained: return "nothing was recorded on the host";
    case StepPart::kKernel:
    case StepPart::kCopy: break;
  }
  return "";
}

std::vector<std::string> Remedies(Compiled compiled) {
  if (compiled == Compiled::kXla) {
    return {"one compiled function for the whole step, or several steps in a "
            "loop inside it (lax.scan): each call is dispatched by the host",
            "not reading results (block_until_ready, float(loss)) in every "
            "step",
            "a larger batch: as many calls for more work"};
  }
  return {"looking at the host's code in the ranges above: it holds the "
          "device up",
          "doing that work ahead of time or on another thread",
          "a larger batch: as much host work for more device work"};
}

}  // namespace

void FindIdleDevice(const AdviceInput& input, Advice& advice) {
  constexpr double kMuch = 0.2;      // of the steps
  constexpr double kExplained = 0.3;  // of the idle time
  constexpr double kNamed = 0.05;    // of the steps
  if (!input.has_devices() || !input.TrustsIdleTime()) return;
  const int64_t idle = input.IdleTime();
  if (!input.IsWorthSaying(idle, kMuch)) return;
  int64_t explained = 0;
  for (const Finding& finding : advice.findings) {
    explained = std::max(explained, finding.saving_ns);
  }
  if (static_cast<double>(explained) >
      kExplained * static_cast<double>(input.OfAStep(idle))) {
    return;
  }
  Finding finding;
  finding.id = "device_idle";
  finding.finding = "The device is idle for " +
                    Percent(input.ShareOfSteps(idle)) +
                    " of the steps: the host does not keep it busy.";
  finding.change = "host=0.5";
  finding.always = true;
  finding.saving_ns = input.OfAStep(idle);
  finding.saving_basis = "the host does its work in half the time";
  const IdleDevice* worst = nullptr;
  for (const IdleDevice& device : input.summary.idle.devices) {
    if (worst == nullptr || device.idle_ns > worst->idle_ns) worst = &device;
  }
  std::vector<const IdleRow*> causes;
  for (const IdleRow& row : worst->rows) causes.push_back(&row);
  std::stable_sort(causes.begin(), causes.end(),
                   [](const IdleRow* a, const IdleRow* b) {
                     return a->time_ns > b->time_ns;
                   });
  for (const IdleRow* row : causes) {
    if (Ratio(row->time_ns, worst->step_ns) < kNamed) break;
    finding.evidence.push_back(
        {Percent(Ratio(row->time_ns, worst->step_ns)) + " of the steps " +
             worst->name + " was idle while " +
             std::string(WordsFor(row->cause)) + ": " +
             CountOf(row->gaps, "gap") + ", the longest " +
             Milliseconds(row->longest_ns) + ".",
         "", kNoRow, row->gaps, row->time_ns});
  }
  const IdleRanges ranges = FindIdleRanges(input);
  size_t shown = 0;
  for (const IdleRange& range : ranges.ranges) {
    if (shown++ == kMostExamples || !input.IsWorthSaying(range.idle_ns)) break;
    finding.evidence.push_back(
        {input.PerStep(range.idle_ns) + " of it lies under " + range.name +
             ", in " + CountOf(range.calls, "call") + ".",
         range.name, range.example, range.calls, range.idle_ns});
  }
  if (finding.evidence.empty()) {
    finding.evidence.push_back(
        {"It was idle for " + input.PerStep(idle) + ".", "", kNoRow, 0, idle});
  }
  finding.to_try = Remedies(FindCompiled(input));
  advice.findings.push_back(std::move(finding));
}

}  // namespace stepscope
