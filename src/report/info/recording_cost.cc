// SPDX-License-Identifier: Apache-2.0
#include "report/info/recording_cost.h"

#include "analysis/recording_budget.h"

namespace stepscope {

std::optional<StepTime> FindRecordingCost(const Trace& trace) {
  // Steps are looked for only where there is something to compare with.
  if (!TimedUnrecordedSteps(trace)) return std::nullopt;
  const EventTree tree(trace);
  return ComputeStepTime(tree, StepTable(tree), std::nullopt);
}

std::string RecordingCostText(const Trace& trace) {
  if (const auto budget = FindRecordingBudget(trace))
    return RecordingBudgetText(*budget);
  if (const std::optional<StepTime> time = FindRecordingCost(trace)) {
    if (time->slow_down()) return SlowDownText(*time->unprofiled, time->p50_ns);
    if (!time->unprofiled_doubt.empty())
      return "not known: " + time->unprofiled_doubt;
  }
  const std::string settings = CostlySettings(trace);
  if (settings.empty()) return "";
  return "not measured; " + settings +
         " were recorded too, which makes steps longer";
}

}  // namespace stepscope
