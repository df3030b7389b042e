// SPDX-License-Identifier: Apache-2.0
#include "analysis/summary.h"

#include <algorithm>
#include <utility>

#include "analysis/advice/rules.h"
#include "analysis/counters/counter_cells.h"
#include "analysis/counters/measured_groups.h"
#include "analysis/memory_script.h"
#include "analysis/serving/unprofiled_rate.h"
#include "analysis/step_rows.h"
#include "analysis/summary_notes.h"
#include "trace/overlap.h"

namespace stepscope {

namespace {

// Tables that others are made from.
ViewSet WithInputs(ViewSet views, const SummaryOptions& options) {
  if (views & kAdviceView) views |= kAdviceTables | kOverView;
  if (views & kPercentileView)
    views |= kOperatorView | kKernelView | kUserDefinedView;
  if (views & kMemoryLifeView) views |= kMemoryView;
  if (options.flops || (views & kMfuView)) views |= kFlopsView;
  return views;
}

// Empties what was only an input.
void KeepOnly(ViewSet views, Summary& summary) {
  const auto unwanted = [&](ViewSet any_of) { return !(views & any_of); };
  if (unwanted(kOverView)) summary.overview = {};
  if (unwanted(kOperatorView | kPercentileView)) summary.operators.clear();
  if (unwanted(kKernelView | kPercentileView)) summary.kernel.clear();
  if (unwanted(kUserDefinedView | kPercentileView))
    summary.user_defined.clear();
  if (unwanted(kMemoryView | kMemoryLifeView)) summary.memory.clear();
  if (unwanted(kRankViews)) summary.ranks = {};
  if (unwanted(kRequestView)) summary.requests = {};
  if (unwanted(kIterationView)) summary.iterations = {};
}

std::vector<StepRow> ListSteps(const EventTree& tree, const StepTable& steps,
                               const MeasuredGroups* measured,
                               const StepEnergy& energy) {
  std::vector<StepRow> rows;
  for (size_t i = 0; i < steps.steps().size(); ++i) {
    rows.push_back(RowOfStep(tree, steps.steps()[i]));
    if (measured != nullptr) rows.back().measured = measured->FindStep(i);
    if (!energy.steps.empty()) rows.back().energy = energy.steps[i];
  }
  SortByStart(rows);
  return rows;
}

void AddMeasured(Summary& summary) {
  using Level = MeasuredGroups::Level;
  const MeasuredGroups* measured = summary.measured.get();
  if (measured == nullptr) return;
  for (KernelRow& row : summary.kernel)
    row.measured = measured->Find(Level::kKernel, row.id);
  for (DeviceRow& row : summary.device)
    if (row.busy_ns) row.measured = measured->FindDevice(row.process, row.id);
  for (FlopsRow& row : summary.flops.rows)
    row.measured = measured->Find(Level::kOperator, row.id);
  if (summary.thread_sep) return;  // groups are of all threads
  for (OperatorGroup& group : summary.operators)
    for (OperatorRow& row : group.rows)
      if (!row.no_launch)
        row.measured = measured->Find(Level::kOperator, row.id);
}

// Whether ranks are to be compared.
bool WantsRanks(const Trace& trace, const SummaryOptions& options) {
  return (options.chosen_views() & (kRankViews | kAdviceView)) &&
         MayHaveRanks(trace);
}

// Waterfall, idle time and outliers, in one sweep over the steps.
void SweepSteps(const EventTree& tree, const StepTable& steps,
                NameClasses& names, const Communication& communication,
                Summary& summary) {
  const StepSweep sweep(tree, steps, names, communication);
  WaterfallTable waterfall;
  IdleTable idle(tree, steps, sweep);
  sweep.Run([&](const StepWindow& window) {
    waterfall.Add(window);
    idle.Add(window);
  });
  summary.waterfall = waterfall.Finish(tree, steps);
  summary.idle = idle.Finish();
  if (summary.has_steps) summary.outliers = ComputeOutliers(summary.waterfall);
}

// What counters say, where the trace has any. `rows`: of StepSelection.
std::shared_ptr<const MeasuredGroups> FindMeasured(
    const EventTree& tree, const StepTable& steps,
    const std::vector<bool>& rows, const SummaryOptions& options) {
  if (!HasCounters(tree.trace())) return nullptr;
  std::vector<CountedCall> calls;
  ComputeFlops(tree, steps, &calls);
  return MeasuredGroups::Compute(
      tree, steps, rows, calls, KnownPeaks(tree.trace(), options.device_peaks));
}

// `measured` may be null.
Summary Summarise(const EventTree& tree, const StepTable& steps,
                  const SummaryOptions& options,
                  std::shared_ptr<const MeasuredGroups> measured) {
  const Trace& trace = tree.trace();
  NameClasses names(trace.strings());
  const ViewSet views = WithInputs(options.chosen_views(), options);
  const auto wanted = [&](ViewSet any_of) { return bool(views & any_of); };

  Summary summary;
  summary.trace = &trace;
  summary.events = CountEvents(trace);
  summary.has_steps = !steps.steps().empty();
  summary.thread_sep = options.thread_sep;
  summary.total_ns = steps.total_ns();
  summary.no_launch = tree.orphans();
  summary.outlives_parent = CountOutliving(trace);
  summary.measured = std::move(measured);
  summary.step_time = ComputeStepTime(tree, steps, options.unprofiled_ns);
  summary.benchmark = ComputeBenchmark(steps);
  if (wanted(kDeviceView)) {
    summary.device = ComputeDevices(tree, steps);
    AddMeasured(summary);
  }
  if (wanted(kLaunchView)) summary.launch = ComputeLaunches(tree, names);
  if (wanted(kIterationView | kRequestView)) {
    summary.iterations = ComputeIterations(tree);
    AddUnprofiledRate(tree, steps, summary.step_time, options.unprofiled_ns,
                      summary.iterations);
  }
  if (wanted(kRequestView))
    summary.requests = ComputeRequests(summary.iterations, options.bill);
  if (wanted(kKernelView)) {
    summary.kernel =
        ComputeKernels(tree, names, {options.sort, wanted(kPercentileView)});
    AddMeasured(summary);
  }
  if (wanted(kMemoryView)) summary.memory = ComputeMemory(tree, steps);
  constexpr ViewSet swept = kWaterfallView | kIdleView | kOutlierView;
  const bool ranks = WantsRanks(trace, options);
  const bool one_rank =
      !ranks && options.collectives_of_one && wanted(kCollectivesView);
  if (ranks || one_rank || wanted(kOverView | kDistributedView | swept)) {
    const Communication communication(tree, names);
    if (one_rank && MayHaveCalls(trace, communication))
      summary.ranks.collectives =
          CollectivesOfOne(tree, steps, names, communication);
    summary.distribution = ComputeDistribution(tree, steps, communication);
    if (ranks || wanted(swept))
      SweepSteps(tree, steps, names, communication, summary);
    if (ranks) {
      summary.ranks = AnalyseRanks(
          DigestRanks(tree, steps, names, communication, summary.waterfall));
    }
    if (wanted(kOverView))
      summary.overview = ComputeOverview(tree, steps, summary.distribution);
    if (wanted(kAdviceView)) {
      summary.advice =
          ComputeAdvice({tree, steps, names, communication, summary});
    }
  }
  if (wanted(kModelView)) summary.model = ComputeModel(tree, steps);
  if (wanted(kOperatorView)) {
    summary.operators =
        ComputeOperators(tree, {options.sort, options.thread_sep,
                                options.op_detail, wanted(kPercentileView)});
    AddMeasured(summary);
  }
  if (wanted(kFlopsView)) {
    summary.flops = ComputeFlops(tree, steps);
    AddMeasured(summary);
    ComparePeaks(KnownPeaks(trace, options.device_peaks), summary.flops);
  }
  if (wanted(kMemoryManipulationView | kUserDefinedView)) {
    UserDefined events =
        ComputeUserDefined(tree, steps, names,
                           {.sort = options.sort,
                            .per_thread = options.thread_sep,
                            .spread = wanted(kPercentileView),
                            .group_digits = options.group_digits});
    summary.group_names = std::move(events.group_names);
    if (wanted(kMemoryManipulationView))
      summary.memory_manipulation = std::move(events.memory_manipulation);
    if (wanted(kUserDefinedView))
      summary.user_defined = std::move(events.events);
  }
  if (wanted(kPythonView))
    summary.python = ComputePython(tree, steps, options.sort);
  KeepOnly(options.chosen_views(), summary);
  ComparePeak(options.link_peak_gbs, summary.ranks);
  return summary;
}

Summary SummariseChosen(StepSelection selection, const SummaryOptions& options,
                        std::shared_ptr<const MeasuredGroups> measured) {
  const EventTree tree(*selection.trace);
  Summary summary = Summarise(tree, StepTable(tree, /*find_warmup=*/false),
                              options, std::move(measured));
  summary.chosen_steps = std::move(selection.trace);
  summary.left_out = std::move(selection.note);
  return summary;
}

}  // namespace

EventFacts CountEvents(const Trace& trace) {
  EventFacts facts;
  facts.any = trace.size() > 0 || !trace.memory().empty();
  for (const ThreadReport& thread : trace.threads()) {
    for (const auto& [reason, count] : thread.dropped) {
      facts.dropped += count;
      const uint32_t process = trace.tracks()[thread.track].process;
      facts.dropped_of[trace.processes()[process].source] += count;
    }
    facts.open += thread.open_scopes.size();
  }
  return facts;
}

Result<Summary> ComputeSummaryOfSteps(const Trace& trace,
                                      const SummaryOptions& options) {
  const EventTree tree(trace);
  const StepTable steps(tree);
  StepSelection selection;
  // Memory that was allocated while a program warmed up is held like any other.
  const bool of_memory = IsOfMemoryAlone(trace) && options.steps &&
                         options.steps->kind == StepChoice::Kind::kSettled;
  if (options.steps && !of_memory) {
    STEPSCOPE_TRY_ASSIGN(selection, SelectSteps(tree, steps, *options.steps));
  }
  const bool is_everything = selection.trace == nullptr;
  // Of all steps that were asked for none is left out as warm-up.
  const bool all_count = is_everything && options.steps &&
                         options.steps->kind != StepChoice::Kind::kSettled;
  Summary summary;
  if (!is_everything) {
    auto measured = FindMeasured(tree, steps, selection.rows, options);
    summary =
        SummariseChosen(std::move(selection), options, std::move(measured));
  } else if (all_count) {
    const StepTable all(tree, /*find_warmup=*/false);
    summary =
        Summarise(tree, all, options, FindMeasured(tree, all, {}, options));
  } else {
    summary =
        Summarise(tree, steps, options, FindMeasured(tree, steps, {}, options));
  }
  if (options.chosen_views() & kCriticalPathView) {
    // Of the whole trace, so that chosen steps begin as they did.
    NameClasses names(trace.strings());
    summary.critical_path = ComputeCriticalPath(
        tree, steps, names, options.steps.value_or(StepChoice::Settled()));
  }
  StepEnergy energy =
      ComputeEnergy(tree, steps, options.steps.value_or(StepChoice::Settled()));
  summary.steps = ListSteps(tree, steps, summary.measured.get(), energy);
  summary.energy = std::move(energy.devices);
  summary.origin_ns = trace.first_time_ns().value_or(0);
  summary.step_notes = StepNotes(summary, options);
  summary.notes = SummaryNotes(summary, options);
  return summary;
}

Summary ComputeSummary(const Trace& trace, const SummaryOptions& options) {
  SummaryOptions everything = options;
  everything.steps.reset();
  return *ComputeSummaryOfSteps(trace, everything);
}

}  // namespace stepscope
