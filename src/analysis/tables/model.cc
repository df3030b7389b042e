// SPDX-License-Identifier: Apache-2.0
#include "analysis/tables/model.h"

#include "analysis/kinds.h"
#include "analysis/schema.h"
#include "analysis/summary.h"
#include "analysis/tables/common_columns.h"
#include "trace/event_type.h"

namespace stepscope {
namespace {

constexpr uint16_t kStages[] = {STEPSCOPE_DATALOADER, STEPSCOPE_FORWARD,
                                STEPSCOPE_BACKWARD, STEPSCOPE_OPTIMIZATION};

ModelRow MakeRow(const EventTree& tree, const StepTable& steps,
                 std::span<const StepInterval> spans, uint16_t type) {
  ModelRow row;
  row.name = EventTypeName(type);
  TimeStats cpu;
  TimeStats gpu;
  for (const StepInterval& span : spans) {
    if (span.type != type) continue;
    ++row.calls;
    cpu.Add(SaturatingSubtract(span.range.end, span.range.begin));
    gpu.Add(span.gpu_ns);
    if (tree.trace().flags()[span.row] & kEventInferred) row.inferred = true;
  }
  row.cpu = TimeColumn::Of(cpu, steps.total_ns());
  row.gpu = TimeColumn::Of(gpu, steps.gpu_ns());
  return row;
}

}  // namespace

std::vector<ModelRow> ComputeModel(const EventTree& tree,
                                   const StepTable& steps) {
  std::vector<ModelRow> rows;
  if (steps.steps().empty() && steps.stages().empty()) return rows;
  if (!steps.steps().empty()) {
    rows.push_back(
        MakeRow(tree, steps, steps.steps(), STEPSCOPE_PROFILE_STEP));
  }
  ModelRow others;
  others.name = kOthersName;
  others.cpu.total_ns = steps.total_ns();
  others.gpu.total_ns = steps.gpu_ns();
  for (const uint16_t stage : kStages) {
    ModelRow row = MakeRow(tree, steps, steps.stages(), stage);
    if (row.calls == 0) continue;
    others.cpu.total_ns =
        SaturatingSubtract(others.cpu.total_ns, row.cpu.total_ns);
    others.gpu.total_ns =
        SaturatingSubtract(others.gpu.total_ns, row.gpu.total_ns);
    rows.push_back(row);
  }
  others.cpu.ratio = Ratio(others.cpu.total_ns, steps.total_ns());
  others.gpu.ratio = Ratio(others.gpu.total_ns, steps.gpu_ns());
  rows.push_back(others);
  return rows;
}

TableSchema DeclareModelTable() {
  const auto calls = [](const ModelRow& row) -> uint64_t {
    return row.name == kOthersName ? 0 : row.calls;
  };
  ColumnsOf<ModelRow> columns;
  columns.Text("name", "ProfileStep, a stage, or Others: what remains",
               &ModelRow::name);
  columns.Count("calls", "outermost events of the stage",
                [](const ModelRow& row) -> std::optional<uint64_t> {
                  if (row.name == kOthersName) return std::nullopt;
                  return row.calls;
                });
  AddTimes(columns, "cpu", {"time of those events", "the total time"},
           [](const ModelRow& row) { return row.cpu; }, calls);
  AddTimes(columns, "gpu",
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
