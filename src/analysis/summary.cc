// SPDX-License-Identifier: Apache-2.0
#include "analysis/summary.h"

#include <algorithm>

#include "analysis/render_csv.h"
#include "analysis/render_json.h"
#include "analysis/render_markdown.h"
#include "analysis/render_text.h"
#include "analysis/summary_notes.h"

namespace stepscope {

Summary ComputeSummary(const Trace& trace, const TableOptions& options) {
  const EventTree tree(trace);
  const StepTable steps(tree);
  NameClasses names(trace.strings());
  const auto wanted = [&](uint32_t views) {
    return (options.views & views) != 0;
  };

  Summary summary;
  summary.trace = &trace;
  summary.has_steps = !steps.steps().empty();
  summary.total_ns = steps.total_ns();
  summary.no_launch = tree.orphans();
  for (const StepSpan& step : steps.steps()) {
    summary.steps.push_back(
        {step.index, step.range.begin,
         SaturatingSubtract(step.range.end, step.range.begin)});
  }
  std::stable_sort(summary.steps.begin(), summary.steps.end(),
                   [](const StepRow& a, const StepRow& b) {
                     return a.start_ns < b.start_ns;
                   });
  summary.benchmark = ComputeBenchmark(steps);
  if (wanted(kDeviceView)) summary.device = ComputeDevices(tree, steps);
  if (wanted(kOverView | kDistributedView)) {
    summary.distribution = ComputeDistribution(tree, names);
  }
  if (wanted(kOverView)) {
    summary.overview = ComputeOverview(tree, steps, summary.distribution);
  }
  if (wanted(kModelView)) summary.model = ComputeModel(tree, steps);
  if (wanted(kOperatorView)) {
    summary.operators = ComputeOperators(
        tree, {options.sort, options.thread_sep, options.op_detail});
  }
  if (wanted(kKernelView)) summary.kernel = ComputeKernels(tree, options.sort);
  if (wanted(kMemoryManipulationView | kUserDefinedView)) {
    UserDefined events = ComputeUserDefined(tree, steps, names, options.sort,
                                            options.thread_sep);
    if (wanted(kMemoryManipulationView)) {
      summary.memory_manipulation = std::move(events.memory_manipulation);
    }
    if (wanted(kUserDefinedView)) {
      summary.user_defined = std::move(events.events);
    }
  }
  if (wanted(kMemoryView)) summary.memory = ComputeMemory(tree);
  summary.notes = SummaryNotes(summary, options);
  return summary;
}

std::string RenderSummary(const Summary& summary,
                          const TableOptions& options) {
  switch (options.format) {
    case TableFormat::kJson:
      return RenderJson(summary, options);
    case TableFormat::kCsv:
      return RenderCsv(summary, options);
    case TableFormat::kMarkdown:
      return RenderMarkdown(summary, options);
    case TableFormat::kText:
      break;
  }
  return RenderText(summary, options);
}

std::string RenderSummary(const Trace& trace, const TableOptions& options) {
  return RenderSummary(ComputeSummary(trace, options), options);
}

}  // namespace stepscope
