// SPDX-License-Identifier: Apache-2.0
#include "analysis/advice/rules.h"

#include "analysis/advice/savings.h"
#include "analysis/stats.h"
#include "base/text.h"

namespace stepscope {

std::string Milliseconds(int64_t ns) {
  const auto value = static_cast<double>(ns);
  if (ns >= 1'000'000) return Format("%.2f ms", value / 1e6);
  return Format("%.2f us", value / 1e3);
}

std::string Percent(double share) { return Format("%.1f %%", share * 100); }

std::string Quoted(std::string_view name) {
  std::string text(1, '"');
  text += name;
  text += '"';
  return text;
}

Interval LongestGap(const IdleRow& row) {
  return {row.longest_at_ns, SaturatingAdd(row.longest_at_ns, row.longest_ns)};
}

bool AdviceInput::TrustsIdleTime() const {
  constexpr uint64_t kFew = 10;  // one of so many graphs may be empty
  return graph.graph_calls_without_work * kFew <= step_count();
}

double AdviceInput::ShareOfSteps(int64_t ns) const {
  return Ratio(ns, waterfall().step_ns);
}

bool AdviceInput::IsWorthSaying(int64_t ns, double share) const {
  return ns > 0 && ShareOfSteps(ns) >= share;
}

const IdleDevice* AdviceInput::BusiestDevice() const {
  const IdleDevice* busiest = nullptr;
  for (const IdleDevice& device : summary.idle.devices) {
    if (device.step_ns <= 0) continue;
    if (busiest == nullptr || Ratio(device.idle_ns, device.step_ns) <
                                  Ratio(busiest->idle_ns, busiest->step_ns)) {
      busiest = &device;
    }
  }
  return busiest;
}

int64_t AdviceInput::OfAStep(int64_t ns) const {
  return AverageNs(ns, step_count());
}

std::string AdviceInput::PerStep(int64_t ns) const {
  return Milliseconds(OfAStep(ns)) + " (" + Percent(ShareOfSteps(ns)) +
         (summary.has_steps ? ") of a step" : ") of the window");
}

Advice ComputeAdvice(const AdviceSource& source) {
  const ReplayGraph graph =
      BuildReplayGraph(source.tree, source.steps, source.names);
  const AdviceInput input{source.tree,          source.steps,
                          source.names,         source.communication,
                          source.summary,       graph};
  Advice advice;
  ExplainNothing(input, advice);
  Savings savings(input, advice);
  FindDoubts(input, advice);
  FindDataLoader(input, advice);
  FindStraggler(input, advice);
  FindExposedCommunication(input, advice);
  FindHostSync(input, advice);
  FindHostOperators(input, advice);
  FindLaunchBound(input, advice);
  FindOptimizerLoop(input, advice);
  FindSmallKernels(input, advice);
  FindIdleTensorCores(input, advice);
  FindLowOccupancy(input, advice);
  FindSerialStreams(input, advice);
  FindMemoryGrowth(input, advice);
  savings.Replay(advice);
  FindIdleDevice(input, advice);
  savings.Replay(advice);
  savings.FindOverlaps(advice);
  FindHangOfJob(input, advice);  // first, whatever the others save
  return advice;
}

}  // namespace stepscope
