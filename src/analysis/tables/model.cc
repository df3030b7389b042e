// SPDX-License-Identifier: Apache-2.0
#include "analysis/tables/model.h"

#include <algorithm>

#include "analysis/kinds.h"
#include "analysis/schema.h"
#include "analysis/summary.h"
#include "analysis/tables/common_columns.h"
#include "trace/event_type.h"

namespace stepscope {
namespace {

constexpr uint16_t kStages[] = {STEPSCOPE_DATALOADER, STEPSCOPE_FORWARD,
                                STEPSCOPE_BACKWARD, STEPSCOPE_OPTIMIZATION};

void Add(ModelSums::Stage& sum, const StepInterval& span, int64_t ns) {
  ++sum.calls;
  sum.cpu.Add(ns);
  sum.gpu.Add(span.gpu_ns);
  if (span.inferred) sum.inferred = true;
}

int64_t LengthOfSpan(const StepInterval& span) {
  return SaturatingSubtract(span.range.end, span.range.begin);
}

void Add(IntervalCollector& spans, const StepInterval& span) {
  spans.Add(span.range.begin, span.range.end);
}

// What the stages leave of the steps of their thread.
int64_t StepTimeOutsideStages(const EventTree& tree, const StepTable& steps) {
  const auto all_steps = steps.steps();
  const auto all_stages = steps.stages();
  int64_t outside = 0;
  size_t step = 0;
  size_t stage = 0;
  for (uint32_t i = 0; i < tree.threads().size(); ++i) {
    IntervalCollector own;
    IntervalCollector taken;
    for (; step < all_steps.size() && all_steps[step].thread == i; ++step)
      Add(own, all_steps[step]);
    for (; stage < all_stages.size() && all_stages[stage].thread == i; ++stage)
      Add(taken, all_stages[stage]);
    outside = SaturatingAdd(
        outside, TotalLength(Difference(own.Finish(), taken.Finish())));
  }
  return outside;
}

// The same of the window that stands for the steps where they took no time.
int64_t WindowOutsideStages(const StepTable& steps) {
  IntervalCollector taken;
  for (const StepInterval& stage : steps.stages())
    if (steps.CountsStages(stage.thread)) Add(taken, stage);
  return TotalLength(Difference(std::span(&steps.window(), 1), taken.Finish()));
}

int64_t TimeOutsideStages(const EventTree& tree, const StepTable& steps) {
  const auto all = steps.steps();
  const bool takes_time =
      std::any_of(all.begin(), all.end(), [](const StepInterval& step) {
        return step.range.begin < step.range.end;
      });
  return takes_time ? StepTimeOutsideStages(tree, steps)
                    : WindowOutsideStages(steps);
}

// As far as they lie in steps. Where two overlap, the first takes the time.
void AddStages(const StepTable& steps, ModelSums& sums) {
  uint32_t thread = kNoThread;
  int64_t until = INT64_MIN;
  for (const StepInterval& stage : steps.stages()) {
    if (stage.thread != thread) until = INT64_MIN;
    thread = stage.thread;
    if (!steps.CountsStages(thread)) continue;
    const Interval own{std::max(stage.range.begin, until), stage.range.end};
    until = std::max(until, stage.range.end);
    const int64_t ns = steps.TimeInSteps(thread, own);
    // One that took no time lies nowhere, and counts.
    if (ns == 0 && LengthOfSpan(stage) > 0) {
      // A step of another thread may have work that was launched in it.
      sums.outside_gpu_ns = SaturatingAdd(sums.outside_gpu_ns, stage.gpu_ns);
      continue;
    }
    const auto* const type =
        std::find(std::begin(kStages), std::end(kStages), stage.type);
    if (type == std::end(kStages)) continue;
    Add(sums.stages[static_cast<size_t>(type - kStages) + 1], stage, ns);
  }
}

}  // namespace

ModelSums ComputeModelSums(const EventTree& tree, const StepTable& steps) {
  ModelSums sums;
  sums.has_steps = !steps.steps().empty();
  for (const StepInterval& step : steps.steps())
    Add(sums.stages[0], step, LengthOfSpan(step));
  sums.outside_gpu_ns = steps.gpu_outside_stages_ns();
  AddStages(steps, sums);
  sums.outside_cpu_ns = TimeOutsideStages(tree, steps);
  return sums;
}

namespace {

// What the shares are of: stages and Others together, which are the steps of
// all threads that have some, or the window. Steps that overlap are counted
// twice, so they are shares of themselves.
int64_t WholeOf(const ModelSums& sums) {
  int64_t whole = sums.outside_cpu_ns;
  for (size_t i = 1; i < ModelSums::kStages; ++i)
    whole = SaturatingAdd(whole, sums.stages[i].cpu.total_ns);
  return std::max(whole, sums.stages[0].cpu.total_ns);
}

}  // namespace

std::vector<ModelRow> ModelRows(const ModelSums& sums, int64_t gpu_ns) {
  const int64_t total_ns = WholeOf(sums);
  std::vector<ModelRow> rows;
  for (size_t i = 0; i < ModelSums::kStages; ++i) {
    const ModelSums::Stage& stage = sums.stages[i];
    if (i == 0 ? !sums.has_steps : stage.calls == 0) continue;
    ModelRow row;
    row.name = EventTypeName(i == 0 ? uint16_t{STEPSCOPE_PROFILE_STEP}
                                    : kStages[i - 1]);
    row.calls = stage.calls;
    row.inferred = stage.inferred;
    row.cpu = TimeColumn::Of(stage.cpu, total_ns);
    row.gpu = TimeColumn::Of(stage.gpu, gpu_ns);
    rows.push_back(row);
  }
  ModelRow others;
  others.name = kOthersName;
  others.cpu.total_ns = sums.outside_cpu_ns;
  others.gpu.total_ns = sums.outside_gpu_ns;
  others.cpu.ratio = Ratio(others.cpu.total_ns, total_ns);
  others.gpu.ratio = Ratio(others.gpu.total_ns, gpu_ns);
  rows.push_back(others);
  return rows;
}

std::vector<ModelRow> ComputeModel(const EventTree& tree,
                                   const StepTable& steps) {
  if (steps.steps().empty() && steps.stages().empty()) return {};
  return ModelRows(ComputeModelSums(tree, steps), steps.gpu_ns());
}

TableSchema DeclareModelTable() {
  const auto calls = [](const ModelRow& row) -> uint64_t {
    return row.name == kOthersName ? 0 : row.calls;
  };
  ColumnsOf<ModelRow> columns;
  columns.Text("name", "ProfileStep, a stage, or Others: what remains",
               &ModelRow::name);
  columns.Count("calls",
                "outermost events of the stage, on the threads that step",
                [](const ModelRow& row) -> std::optional<uint64_t> {
                  if (row.name == kOthersName) return std::nullopt;
                  return row.calls;
                });
  AddTimes(
      columns, "cpu", {"time of those events", "the stages and Others"},
      [](const ModelRow& row) { return row.cpu; }, calls);
  AddTimes(
      columns, "gpu",
      {"device work launched in them", "the work launched in steps"},
      [](const ModelRow& row) { return row.gpu; }, calls);
  columns.Bool("inferred", "concluded from other events, not recorded",
               &ModelRow::inferred);
  return {.key = "model",
          .paddle_name = "ModelView",
          .title = "Model",
          .meaning = "which stage of the step takes the time?",
          .view = kModelView,
          .json_views = kModelView,
          .columns = columns.Take(),
          .rows = [](const Summary& s) { return RowList::Of(s.model); },
          .nothing = [](const Summary& s) { return !ShowsModel(s.model); }};
}

}  // namespace stepscope
