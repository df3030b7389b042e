// SPDX-License-Identifier: Apache-2.0
//
// Why the trace may not be typical of the program: what a reader must know
// before acting on the findings.
#include <stepscope/c.h>

#include <cmath>
#include <string>
#include <utility>

#include "analysis/advice/rules.h"
#include "analysis/machine_load.h"
#include "analysis/stats.h"
#include "base/text.h"

namespace stepscope {
namespace {

constexpr size_t kFewSteps = 3;

void DoubtSteps(const AdviceInput& input, Advice& advice) {
  const Waterfall& waterfall = input.waterfall();
  if (!input.summary.has_steps) {
    advice.doubts.push_back(
        "No step was marked: the recorded window is taken as one step, "
        "including start-up and shutdown.");
  } else if (waterfall.steps.size() < kFewSteps) {
    advice.doubts.push_back(
        "Only " + CountText(waterfall.steps.size()) +
        (waterfall.steps.size() == 1 ? " step was" : " steps were") +
        " recorded, so chance decides much of this.");
  }
  for (const OutlierRow& row : input.summary.outliers) {
    if (!waterfall.steps.empty() && row.index == waterfall.steps[0].index) {
      advice.doubts.push_back(
          "The first step took " + Milliseconds(row.dur_ns) + ", the others " +
          Milliseconds(row.median_ns) +
          " (median): if it is warm-up, leave it out with --steps.");
      break;
    }
  }
  const auto outliers = static_cast<double>(input.summary.outliers.size());
  if (outliers > 0.2 * static_cast<double>(waterfall.steps.size())) {
    advice.doubts.push_back(
        CountText(input.summary.outliers.size()) + " of " +
        CountText(waterfall.steps.size()) +
        " steps are much longer than the rest: averages describe neither.");
  }
}

void DoubtGraphs(const AdviceInput& input, Advice& advice) {
  const uint64_t missing = input.graph.graph_calls_without_work;
  if (missing == 0) return;
  advice.doubts.push_back(
      CountText(missing) +
      (missing == 1 ? " graph launch has" : " graph launches have") +
      " no device work in the trace: the recorder left the kernels out." +
      (input.TrustsIdleTime()
           ? ""
           : " When the device was idle is not known, and findings that rest "
             "on it are left out."));
}

void DoubtIdleTime(const AdviceInput& input, Advice& advice) {
  if (!input.HidesWork()) return;
  advice.doubts.push_back(
      "For " + Milliseconds(input.hidden.time_ns) +
      " the device had nothing to run although work was launched, " +
      Milliseconds(input.hidden.longest_ns) +
      " at the longest: it ran what the trace does not have, or waited for "
      "another device. Findings that rest on its idle time are left out.");
}

// Device work that belongs to no step.
void DoubtCoverage(const AdviceInput& input, Advice& advice) {
  constexpr double kMost = 0.5;
  if (!input.summary.has_steps || !input.has_devices()) return;
  const double outside = 1 - input.work_in_steps;
  if (outside <= kMost) return;
  advice.doubts.push_back(
      Percent(outside) +
      " of the device's work was launched outside the "
      "steps: " +
      (input.HasWorkInSteps()
           ? "the advice is about the rest."
           : "findings that rest on its idle time are left out.") +
      " Mark the steps around all that belongs to them.");
}

void DoubtReplay(Advice& advice) {
  constexpr double kFar = 0.05;
  if (!advice.replay || std::abs(advice.replay->error) <= kFar) return;
  advice.doubts.push_back("Replaying the unchanged steps is off by " +
                          Percent(std::abs(advice.replay->error)) +
                          " of the recorded time: savings are as uncertain.");
}

void DoubtRecording(const AdviceInput& input, Advice& advice) {
  const Trace& trace = input.trace();
  uint64_t dropped = 0;
  for (const ThreadReport& thread : trace.threads())
    for (const auto& [reason, count] : thread.dropped) dropped += count;
  if (dropped > 0) {
    advice.doubts.push_back(CountText(dropped) +
                            " events were dropped while recording.");
  }
  if (!trace.complete())
    advice.doubts.push_back("The recording was cut short.");
  const LaunchStats& launch = input.summary.launch;
  const auto share = [&](uint64_t count) {
    return launch.device_events == 0
               ? 0
               : static_cast<double>(count) /
                     static_cast<double>(launch.device_events);
  };
  constexpr double kManyOrphans = 0.05;
  if (share(launch.without_launch) > kManyOrphans) {
    advice.doubts.push_back(
        Percent(share(launch.without_launch)) +
        " of the device's work has no recorded launch: launch gaps are "
        "underestimated.");
  }
  constexpr double kManyEarly = 0.01;
  if (share(launch.early) > kManyEarly) {
    advice.doubts.push_back(
        Percent(share(launch.early)) +
        " of the device's work seems to begin before its launch: the clocks "
        "of host and device disagree.");
  }
  constexpr double kMuch = 0.3;
  const double unexplained =
      input.ShareOfSteps(input.waterfall().part(StepPart::kUnexplained));
  if (unexplained > kMuch) {
    advice.doubts.push_back("Nothing was recorded during " +
                            Percent(unexplained) + " of the steps.");
  }
  int64_t overhead = 0;
  for (const OverviewRow& row : input.summary.overview.cpu)
    if (row.type == "Overhead") overhead = row.time_ns;
  if (input.IsWorthSaying(overhead)) {
    advice.doubts.push_back("Profiling itself took " +
                            Percent(input.ShareOfSteps(overhead)) +
                            " of the time.");
  }
}

}  // namespace

void FindDoubts(const AdviceInput& input, Advice& advice) {
  if (input.trace().size() == 0) return;
  // First of all: it concerns every figure.
  if (std::string text = CrowdingText(input.trace()); !text.empty())
    advice.doubts.push_back(std::move(text));
  DoubtSteps(input, advice);
  DoubtRecording(input, advice);
  DoubtGraphs(input, advice);
  DoubtIdleTime(input, advice);
  DoubtCoverage(input, advice);
  DoubtReplay(advice);
}

}  // namespace stepscope
