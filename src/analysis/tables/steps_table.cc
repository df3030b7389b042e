// SPDX-License-Identifier: Apache-2.0
#include "analysis/schema.h"
#include "analysis/summary.h"

namespace stepscope {

TableSchema DeclareStepsTable() {
  ColumnsOf<StepRow> columns;
  columns.Count("index", "number of the step", &StepRow::index);
  columns.Time("start_ns", "when it began", &StepRow::start_ns);
  columns.Time("dur_ns", "how long it took on the host", &StepRow::dur_ns);
  return {.key = "steps",
          .title = "Steps",
          .meaning = "which steps were recorded, and how long were they?",
          .view = kStepsView,
          .json_views = kAllViews,
          .columns = columns.Take(),
          .rows = [](const Summary& s) { return RowList::Of(s.steps); }};
}

}  // namespace stepscope
