// SPDX-License-Identifier: Apache-2.0
#include "analysis/advice/rules.h"

#include <algorithm>

#include "analysis/stats.h"
#include "base/text.h"

namespace stepscope {

std::string Milliseconds(int64_t ns) {
  const auto value = static_cast<double>(ns);
  if (ns >= 1'000'000) return Format("%.2f ms", value / 1e6);
  return Format("%.2f us", value / 1e3);
}

std::string Percent(double share) { return Format("%.1f %%", share * 100); }

double AdviceInput::ShareOfSteps(int64_t ns) const {
  return Ratio(ns, waterfall().step_ns);
}

bool AdviceInput::IsWorthSaying(int64_t ns, double share) const {
  return ns > 0 && ShareOfSteps(ns) >= share;
}

std::string AdviceInput::PerStep(int64_t ns) const {
  return Milliseconds(AverageNs(ns, step_count())) + " (" +
         Percent(ShareOfSteps(ns)) + ") of a step";
}

Advice ComputeAdvice(const AdviceInput& input) {
  Advice advice;
  FindDoubts(input, advice);
  FindDataLoader(input, advice);
  FindExposedCommunication(input, advice);
  FindHostSync(input, advice);
  FindHostOperators(input, advice);
  FindLaunchBound(input, advice);
  FindSmallKernels(input, advice);
  FindHostBoundBackward(input, advice);
  FindIdleTensorCores(input, advice);
  FindLowOccupancy(input, advice);
  FindSerialStreams(input, advice);
  FindMemoryGrowth(input, advice);
  for (Finding& finding : advice.findings) {
    finding.saving_ratio = input.ShareOfSteps(finding.saving_ns);
  }
  std::stable_sort(advice.findings.begin(), advice.findings.end(),
                   [](const Finding& a, const Finding& b) {
                     return a.saving_ns > b.saving_ns;
                   });
  return advice;
}

}  // namespace stepscope
