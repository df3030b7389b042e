// SPDX-License-Identifier: Apache-2.0
#include "analysis/tables/step_time.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/order_statistics.h"
#include "analysis/schema.h"
#include "analysis/stats.h"
#include "analysis/summary.h"

namespace stepscope {

std::vector<ProcessPeriods> FindPeriods(const EventTree& tree,
                                        const StepTable& steps) {
  std::vector<ProcessPeriods> found;
  const size_t processes = tree.trace().processes().size();
  for (uint32_t p = 0; p < processes; ++p) {
    const uint32_t thread = steps.main_thread(p);
    if (thread == kNoThread) continue;
    ProcessPeriods periods;
    for (const StepInterval& step : steps.steps_of(thread)) {
      (step.warmup ? periods.warmup_ns : periods.settled_ns)
          .push_back(step.period_ns);
    }
    periods.device_paced = steps.device_paces(thread);
    found.push_back(std::move(periods));
  }
  return found;
}

StepTime ComputeStepTime(std::span<const ProcessPeriods> processes,
                         const Trace& trace,
                         std::optional<int64_t> unprofiled_ns) {
  StepTime time;
  std::vector<int64_t> periods;
  for (const ProcessPeriods& process : processes) {
    periods.insert(periods.end(), process.settled_ns.begin(),
                   process.settled_ns.end());
    if (time.warmup == 0 && !process.warmup_ns.empty())
      time.first_warmup_ns = process.warmup_ns.front();
    time.warmup += process.warmup_ns.size();
    time.device_paced |= process.device_paced;
  }
  UnprofiledJudgement judged =
      JudgeUnprofiledStep(trace, periods, unprofiled_ns);
  // A recorder times steps on the host, which is ahead of what they take.
  const bool by_user =
      judged.step && judged.step->source == UnprofiledStep::Source::kUser;
  if (!time.device_paced || by_user) {
    time.unprofiled = judged.step;
    time.unprofiled_doubt = std::move(judged.doubt);
  }
  time.steps = periods.size();
  if (periods.empty()) return time;
  int64_t total = 0;
  for (const int64_t period : periods) total = SaturatingAdd(total, period);
  time.avg_ns = AverageNs(total, periods.size());
  time.min_ns = *std::min_element(periods.begin(), periods.end());
  time.max_ns = *std::max_element(periods.begin(), periods.end());
  time.p25_ns = Quantile(periods, 1, 4);
  time.p50_ns = Median(periods);
  time.p75_ns = Quantile(periods, 3, 4);
  return time;
}

StepTime ComputeStepTime(const EventTree& tree, const StepTable& steps,
                         std::optional<int64_t> unprofiled_ns) {
  return ComputeStepTime(FindPeriods(tree, steps), tree.trace(), unprofiled_ns);
}

TableSchema DeclareStepTimeTable() {
  ColumnsOf<StepTime> columns;
  columns.Count("steps", "settled steps, which the figures are of",
                &StepTime::steps);
  columns
      .Count("warmup", "steps that were left out as warm-up", &StepTime::warmup)
      .As("Warm-up, left out");
  columns.Text("paced_by", "host, or device where the host runs ahead of it",
               [](const StepTime& row) {
                 return std::string_view(row.device_paced ? "device" : "host");
               });
  columns.Time("period.avg_ns", "from a step's start to the next, on average",
               &StepTime::avg_ns);
  columns.Time("period.p25_ns", "a quarter took this or less",
               &StepTime::p25_ns);
  columns.Time("period.p50_ns", "the median: half took this or less",
               &StepTime::p50_ns);
  columns.Time("period.p75_ns", "three quarters took this or less",
               &StepTime::p75_ns);
  columns.Time("period.min_ns", "the shortest", &StepTime::min_ns);
  columns.Time("period.max_ns", "the longest", &StepTime::max_ns);
  columns
      .Time("unprofiled_ns",
            "the median step that was not recorded; empty if not known",
            [](const StepTime& row) -> std::optional<int64_t> {
              if (!row.unprofiled) return std::nullopt;
              return row.unprofiled->ns;
            })
      .As("Step without recording");
  columns
      .Count("unprofiled_steps",
             "steps that this is the median of; 0: it was stated",
             [](const StepTime& row) -> std::optional<uint64_t> {
               if (!row.unprofiled) return std::nullopt;
               return row.unprofiled->count;
             })
      .As("Steps without recording");
  columns
      .Number("slow_down", "times",
              "the median over that: what recording cost; empty if not "
              "known",
              &StepTime::slow_down)
      .As("Slow-down");
  return {.key = "step_time",
          .title = "Step time",
          .meaning = "how long does a step take, once the program settled?",
          .view = kStepTimeView,
          .json_views = kAllViews,
          .shape = TableShape::kOne,
          .columns = columns.Take(),
          .rows = [](const Summary& s) {
            return s.step_time.steps == 0 ? RowList()
                                          : RowList::One(s.step_time);
          }};
}

}  // namespace stepscope
