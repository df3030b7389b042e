// SPDX-License-Identifier: Apache-2.0
#include "cli/recording_cost.h"

namespace stepscope {

std::optional<StepTime> FindRecordingCost(const Trace& trace) {
  // Steps are looked for only where there is something to compare with.
  if (!FindUnprofiledStep(trace)) return std::nullopt;
  const EventTree tree(trace);
  const StepTime time = ComputeStepTime(tree, StepTable(tree), std::nullopt);
  if (!time.slow_down()) return std::nullopt;
  return time;
}

std::string RecordingCostText(const Trace& trace) {
  if (const std::optional<StepTime> time = FindRecordingCost(trace)) {
    return SlowDownText(*time->unprofiled, time->p50_ns);
  }
  const std::string settings = CostlySettings(trace);
  if (settings.empty()) return "";
  return "not measured; " + settings +
         " were recorded too, which makes steps longer";
}

}  // namespace stepscope
