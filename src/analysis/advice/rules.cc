// SPDX-License-Identifier: Apache-2.0
#include "analysis/advice/rules.h"

#include <utility>

#include "analysis/advice/savings.h"
#include "analysis/interval_search.h"
#include "analysis/memory_script.h"
#include "analysis/order_statistics.h"
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

Evidence Said(std::string what) {
  Evidence evidence;
  evidence.what = std::move(what);
  return evidence;
}

bool AdviceInput::TrustsIdleTime() const {
  constexpr uint64_t kFew = 10;  // one of so many graphs may be empty
  return HasWorkInSteps() &&
         graph.graph_calls_without_work * kFew <= step_count() && !HidesWork();
}

bool AdviceInput::HidesWork() const {
  constexpr double kMuch = 0.3;  // of what seems to be idle time
  int64_t idle = 0;
  for (const IdleDevice& device : summary.idle.devices)
    idle = SaturatingAdd(idle, device.idle_ns);
  return hidden.time_ns > 0 && Ratio(hidden.time_ns, idle) > kMuch;
}

bool AdviceInput::HasWorkInSteps() const {
  constexpr double kHardlyAny = 0.25;
  return !tree.work().empty() && work_in_steps >= kHardlyAny;
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
                                  Ratio(busiest->idle_ns, busiest->step_ns))
      busiest = &device;
  }
  return busiest;
}

int64_t AdviceInput::OfAStep(int64_t ns) const {
  return AverageNs(ns, step_count());
}

std::string AdviceInput::PerStep(int64_t ns) const {
  return Milliseconds(OfAStep(ns)) + (!summary.has_steps ? " of the window"
                                      : step_count() == 1
                                          ? " per step"
                                          : " per step on average");
}

std::string AdviceInput::PerMedianStep(std::span<const int64_t> by_step) const {
  constexpr int64_t kAlike = 10;  // they differ by less than a part in so many
  const int64_t median = Median(by_step);
  int64_t sum = 0;
  for (const int64_t ns : by_step) sum = SaturatingAdd(sum, ns);
  const int64_t mean = AverageNs(sum, by_step.size());
  std::string text = Milliseconds(median) + " per step (median";
  if (Magnitude(SaturatingSubtract(mean, median)) > median / kAlike)
    text += "; " + Milliseconds(mean) + " on average";
  return text + ")";
}

namespace {

// Work belongs to the step that launched it; without a recorded launch, to the
// step that it ran in.
double ShareOfWorkInSteps(const AdviceSource& source) {
  const Trace& trace = source.tree.trace();
  if (!source.summary.has_steps) return 1;
  std::vector<IntervalCollector> collectors(trace.processes().size());
  for (const StepParts& step : source.summary.waterfall.steps)
    collectors[step.process].Add(step.range.begin, step.range.end);
  std::vector<IntervalSet> steps;
  for (IntervalCollector& collector : collectors)
    steps.push_back(collector.Finish());
  int64_t all = 0;
  int64_t inside = source.steps.gpu_ns();
  for (const DeviceWork& work : source.tree.work()) {
    const int64_t dur = trace.dur_ns()[work.row];
    all = SaturatingAdd(all, dur);
    const uint32_t process = trace.tracks()[trace.track()[work.row]].process;
    if (work.launch != kNoRow) continue;
    inside = SaturatingAdd(
        inside, CoveredLength(steps[process], {trace.start_ns()[work.row],
                                               source.tree.end_ns(work.row)}));
  }
  return all == 0 ? 1 : std::min(1.0, Ratio(inside, all));
}

}  // namespace

Advice ComputeAdvice(const AdviceSource& source) {
  const ReplayGraph graph =
      BuildReplayGraph(source.tree, source.steps, source.names);
  const AdviceInput input{
      source.tree,
      source.steps,
      source.names,
      source.communication,
      source.summary,
      graph,
      ShareOfWorkInSteps(source),
      FindHiddenWork(source.tree, source.summary.waterfall.steps)};
  Advice advice;
  if (IsOfMemoryAlone(input.trace())) {
    FindMemoryGrowth(input, advice);
    FindMemoryShortage(input, advice);
    FindRetriedMemory(input, advice);
    ExplainNothing(input, advice);
    return advice;
  }
  Savings savings(input, advice);
  FindDoubts(input, advice);
  FindDataLoader(input, advice);
  FindStraggler(input, advice);
  FindExposedCommunication(input, advice);
  FindHostSync(input, advice);
  FindHostOperators(input, advice);
  FindThreadWait(input, advice);
  FindOversubscribed(input, advice);
  FindThreadsThatTakeTurns(input, advice);
  FindWorkOutsideStages(input, advice);
  FindHostTime(input, advice);
  FindSmallOperators(input, advice);
  FindSlowStep(input, advice);
  FindLaunchBound(input, advice);
  FindOptimizerLoop(input, advice);
  FindSmallKernels(input, advice);
  FindIdleTensorCores(input, advice);
  FindMemoryBound(input, advice);
  FindLowOccupancy(input, advice);
  FindSerialStreams(input, advice);
  FindMemoryGrowth(input, advice);
  FindMemoryShortage(input, advice);
  FindRetriedMemory(input, advice);
  FindMixedIterations(input, advice);
  FindDecodeTail(input, advice);
  FindSchedulerGap(input, advice);
  FindEagerPrefill(input, advice);
  FindPadding(input, advice);
  FindPreemptions(input, advice);
  savings.Replay(advice);
  FindIdleDevice(input, advice);
  savings.Replay(advice);
  savings.FindOverlaps(advice);
  FindHangOfJob(input, advice);  // first, whatever the others save
  ExplainNothing(input, advice);
  return advice;
}

}  // namespace stepscope
