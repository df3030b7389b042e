// SPDX-License-Identifier: Apache-2.0
//
// The parts of a mean step, and the parts of each step with the step itself:
// the waterfall as a page draws it.
#include <optional>
#include <vector>

#include "analysis/looks.h"
#include "analysis/stats.h"
#include "analysis/tables/rows.h"
#include "analysis/views/step_waterfall.h"
#include "analysis/views/view_table.h"

namespace stepscope {
namespace {

struct MeanPartRow {
  std::string_view part;
  int64_t mean_ns = 0;
  double ratio = 0;
  std::string_view formula;
};

std::vector<MeanPartRow> MeanParts(const ViewInput& input) {
  const Waterfall waterfall = ComputeWaterfall(input);
  std::vector<MeanPartRow> rows;
  const uint64_t steps = waterfall.steps.size();
  if (waterfall.step_ns == 0) return rows;
  for (size_t i = 0; i < kStepParts; ++i) {
    const auto part = static_cast<StepPart>(i);
    rows.push_back({StepPartName(part), AverageNs(waterfall.part_ns[i], steps),
                    Ratio(waterfall.part_ns[i], waterfall.step_ns),
                    LookOf(part).formula});
  }
  rows.push_back(
      {"step", AverageNs(waterfall.step_ns, steps), 1, "the sum of the parts"});
  return rows;
}

struct PartOfStepRow {
  std::optional<int64_t> index;
  int64_t pid = 0;
  std::string_view part;
  int64_t time_ns = 0;
  int64_t step_ns = 0;
};

std::vector<PartOfStepRow> PartsOfSteps(const ViewInput& input) {
  const Waterfall waterfall = ComputeWaterfall(input);
  std::vector<PartOfStepRow> rows;
  if (waterfall.step_ns == 0) return rows;
  for (const StepParts& step : waterfall.steps) {
    int64_t whole = 0;
    for (const int64_t part : step.part_ns) whole = SaturatingAdd(whole, part);
    for (size_t i = 0; i < kStepParts; ++i) {
      PartOfStepRow& row = rows.emplace_back();
      if (step.row != kNoRow) row.index = step.index;
      row.pid = input.tree.trace().processes()[step.process].pid;
      row.part = StepPartName(static_cast<StepPart>(i));
      row.time_ns = step.part_ns[i];
      row.step_ns = whole;
    }
  }
  return rows;
}

}  // namespace

ViewTable DeclareStepPartsViewTable() {
  ColumnsOf<MeanPartRow> columns;
  columns.Text("part", "part of the waterfall, or step: all of them",
               &MeanPartRow::part);
  columns.Time("mean_ns", "its time in a step, on average",
               &MeanPartRow::mean_ns);
  columns.Ratio("ratio", "its time as a share of the steps",
                &MeanPartRow::ratio);
  columns.Text("formula", "how it is computed", &MeanPartRow::formula);
  return {.key = "step_parts",
          .title = "Parts of a step",
          .meaning = "where does a step go, on average?",
          .columns = columns.Take(),
          .rows = [](const ViewInput& input) {
            return RowList::Own(MeanParts(input));
          }};
}

ViewTable DeclarePartStepsViewTable() {
  ColumnsOf<PartOfStepRow> columns;
  columns.Count("index", "number of the step; empty: the recorded window",
                &PartOfStepRow::index);
  columns.Count("pid", "process of the step", &PartOfStepRow::pid);
  columns.Text("part", "part of the waterfall", &PartOfStepRow::part);
  columns.Time("time_ns", Adds::kUnion, "its time in this step",
               &PartOfStepRow::time_ns);
  columns
      .Time("step_ns", "the step: all its parts together",
            &PartOfStepRow::step_ns)
      .As("Step time");
  return {.key = "part_steps",
          .title = "Parts of each step",
          .meaning = "where did each step go?",
          .columns = columns.Take(),
          .rows = [](const ViewInput& input) {
            return RowList::Own(PartsOfSteps(input));
          }};
}

}  // namespace stepscope
