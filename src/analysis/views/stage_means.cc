// SPDX-License-Identifier: Apache-2.0
//
// The Model table's stages as times of one step: totals over the steps.
#include <algorithm>
#include <vector>

#include "analysis/tables/model.h"
#include "analysis/views/view_table.h"

namespace stepscope {
namespace {

struct StageMeanRow {
  std::string_view stage;
  int64_t cpu_ns = 0;
  int64_t gpu_ns = 0;
  bool inferred = false;
};

std::vector<StageMeanRow> ComputeStageMeans(const ViewInput& input) {
  // Without steps the recorded window stands for one.
  const auto steps = std::max<uint64_t>(input.steps.steps().size(), 1);
  std::vector<StageMeanRow> rows;
  for (const ModelRow& row : ComputeModel(input.tree, input.steps)) {
    rows.push_back({row.name, AverageNs(row.cpu.total_ns, steps),
                    AverageNs(row.gpu.total_ns, steps), row.inferred});
  }
  return rows;
}

}  // namespace

ViewTable DeclareStageMeansViewTable() {
  ColumnsOf<StageMeanRow> columns;
  columns.Text("stage", "ProfileStep, a stage, or Others: what remains",
               &StageMeanRow::stage);
  columns
      .Time("cpu_ns", "its time on the host in a step, on average",
            &StageMeanRow::cpu_ns)
      .As("CPU per step");
  columns
      .Time("gpu_ns", "device work launched in it, of a step on average",
            &StageMeanRow::gpu_ns)
      .As("GPU per step");
  columns.Bool("inferred", "concluded from other events, not recorded",
               &StageMeanRow::inferred);
  return {.key = "stage_means",
          .title = "Stages of a step",
          .meaning = "which stage takes the time of a step?",
          .columns = columns.Take(),
          .rows = [](const ViewInput& input) {
            return RowList::Own(ComputeStageMeans(input));
          }};
}

}  // namespace stepscope
