// SPDX-License-Identifier: Apache-2.0
//
// The rules behind the advice. Each looks at the tables, and at the events
// where a table does not say who it was, and adds at most one finding: with
// evidence, a change to replay, and a bound for where it cannot be replayed.
// What the change saves, and so whether the finding is shown, is decided by
// the replay; see savings.h.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/advice/advice.h"
#include "analysis/advice/hidden_work.h"
#include "analysis/communication.h"
#include "analysis/event_tree.h"
#include "analysis/name_class.h"
#include "analysis/replay/graph.h"
#include "analysis/steps.h"
#include "analysis/summary.h"

namespace stepscope {

// Less than this share of the steps is not worth a finding.
inline constexpr double kWorthSaying = 0.03;
// Evidence names at most so many events.
inline constexpr size_t kMostExamples = 3;

// What rules see. All tables that kAdviceTables names have been computed.
struct AdviceInput {
  const EventTree& tree;
  const StepTable& steps;
  NameClasses& names;
  const Communication& communication;
  const Summary& summary;
  const ReplayGraph& graph;
  // The share of the device's work that belongs to steps; 1: there is none.
  double work_in_steps = 1;
  HiddenWork hidden = {};

  const Trace& trace() const { return tree.trace(); }
  const Waterfall& waterfall() const { return summary.waterfall; }
  bool has_devices() const { return !summary.idle.devices.empty(); }
  // Whether a device has anything to do with the steps. False: they are the
  // host's alone.
  bool HasWorkInSteps() const;
  // Whether a device that seems idle is: false where nearly all of its work
  // lies outside the steps, where graphs were launched whose kernels the
  // recorder left out, and where it did something else most of that time.
  bool TrustsIdleTime() const;
  bool HidesWork() const;
  uint64_t step_count() const { return summary.waterfall.steps.size(); }
  // Of all steps.
  bool IsWorthSaying(int64_t ns, double share = kWorthSaying) const;
  double ShareOfSteps(int64_t ns) const;
  // Of all steps to one.
  int64_t OfAStep(int64_t ns) const;
  // "12.34 ms per step on average", as recorded. Without a share: the only one
  // of a finding is that of its saving, which may be of another step.
  std::string PerStep(int64_t ns) const;
  // "12.34 ms per step (median)", of what each step took; with the average
  // where that is another figure.
  std::string PerMedianStep(std::span<const int64_t> by_step) const;
  // The device that stands idle longest, one for each process, added up.
  template <typename Value>
  int64_t OfWorstDevices(Value value) const;
  // The device that is busy for most of the steps; null: there is none. Of
  // several, the others may have little to do by design.
  const IdleDevice* BusiestDevice() const;
};

inline constexpr ViewSet kAdviceTables =
    kWaterfallView | kIdleView | kLaunchView | kKernelView | kMemoryView |
    kDistributedView | kOutlierView | kIterationView | kRequestView;

std::string Milliseconds(int64_t ns);
std::string Percent(double share);
std::string Quoted(std::string_view name);
// Of a cause of idle time.
Interval LongestGap(const IdleRow& row);
// Evidence without an event to look at.
Evidence Said(std::string what);

// host_rules.cc
void FindDataLoader(const AdviceInput& input, Advice& advice);
void FindHostSync(const AdviceInput& input, Advice& advice);
void FindMemoryGrowth(const AdviceInput& input, Advice& advice);
// memory_rules.cc
void FindMemoryShortage(const AdviceInput& input, Advice& advice);
void FindRetriedMemory(const AdviceInput& input, Advice& advice);
// wait_rules.cc
void FindThreadWait(const AdviceInput& input, Advice& advice);
// thread_rules.cc
void FindOversubscribed(const AdviceInput& input, Advice& advice);
void FindThreadsThatTakeTurns(const AdviceInput& input, Advice& advice);
// outside_rules.cc
void FindWorkOutsideStages(const AdviceInput& input, Advice& advice);
// own_time_rules.cc: what the findings so far do not speak of.
void FindHostTime(const AdviceInput& input, Advice& advice);
// small_operator_rules.cc
void FindSmallOperators(const AdviceInput& input, Advice& advice);
// slow_step_rules.cc
void FindSlowStep(const AdviceInput& input, Advice& advice);
// operator_rules.cc
void FindHostOperators(const AdviceInput& input, Advice& advice);
// launch_rules.cc
void FindLaunchBound(const AdviceInput& input, Advice& advice);
void FindSmallKernels(const AdviceInput& input, Advice& advice);
void FindOptimizerLoop(const AdviceInput& input, Advice& advice);
// idle_rules.cc: what the findings so far leave unnamed.
void FindIdleDevice(const AdviceInput& input, Advice& advice);
// device_rules.cc
void FindLowOccupancy(const AdviceInput& input, Advice& advice);
void FindIdleTensorCores(const AdviceInput& input, Advice& advice);
// "3 calls of 1.20 ms", what is more, and the name.
Evidence OfKernel(const KernelRow& row, const std::string& more);
// counter_rules.cc
void FindMemoryBound(const AdviceInput& input, Advice& advice);
// overlap_rules.cc
void FindExposedCommunication(const AdviceInput& input, Advice& advice);
void FindSerialStreams(const AdviceInput& input, Advice& advice);
// rank_rules.cc
void FindStraggler(const AdviceInput& input, Advice& advice);
// decode_tail_rules.cc
void FindDecodeTail(const AdviceInput& input, Advice& advice);
// serving_rules.cc
void FindMixedIterations(const AdviceInput& input, Advice& advice);
void FindSchedulerGap(const AdviceInput& input, Advice& advice);
void FindEagerPrefill(const AdviceInput& input, Advice& advice);
void FindPadding(const AdviceInput& input, Advice& advice);
void FindPreemptions(const AdviceInput& input, Advice& advice);
// hang_rules.cc
void FindHangOfJob(const AdviceInput& input, Advice& advice);
// doubts.cc
void FindDoubts(const AdviceInput& input, Advice& advice);
// nothing.cc: why there can be no advice.
void ExplainNothing(const AdviceInput& input, Advice& advice);

// What the advice is made from; the graph is built here.
struct AdviceSource {
  const EventTree& tree;
  const StepTable& steps;
  NameClasses& names;
  const Communication& communication;
  const Summary& summary;
};

Advice ComputeAdvice(const AdviceSource& source);

template <typename Value>
int64_t AdviceInput::OfWorstDevices(Value value) const {
  int64_t total = 0;
  int64_t worst = 0;
  const auto& devices = summary.idle.devices;
  for (size_t i = 0; i < devices.size(); ++i) {
    worst = std::max<int64_t>(worst, value(devices[i]));
    if (i + 1 == devices.size() ||
        devices[i + 1].process != devices[i].process) {
      total = SaturatingAdd(total, worst);
      worst = 0;
    }
  }
  return total;
}

}  // namespace stepscope
