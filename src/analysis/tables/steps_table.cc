// SPDX-License-Identifier: Apache-2.0
#include "analysis/schema.h"
#include "analysis/summary.h"
#include "analysis/tables/counter_columns.h"

namespace stepscope {

TableSchema DeclareStepsTable() {
  ColumnsOf<StepRow> columns;
  columns.Count("index", "number of the step", &StepRow::index);
  columns.Time("start_ns", "when it began", &StepRow::start_ns);
  columns.Time("dur_ns", "how long it took on the host", &StepRow::dur_ns)
      .As("On the host");
  columns
      .Time("period_ns",
            "from its start to the next one's, on the host or on the "
            "device, whichever paces the loop",
            &StepRow::period_ns)
      .As("Start to start");
  columns
      .Time("device_start_ns",
            "when the device began the first work that it launched; empty "
            "if there was none",
            &StepRow::device_start_ns)
      .As("Start on the device");
  columns
      .Time("device_end_ns", "when the device ended the last of it",
            &StepRow::device_end_ns)
      .As("End on the device");
  columns.Bool("warmup", "whether it was one of the first and not yet settled",
               &StepRow::warmup);
  columns
      .Count("rank", "rank of its process; empty if none is stated",
             &StepRow::rank)
      .AbsentIfNull();
  AddCounters(columns, [](const StepRow& row) { return row.measured; });
  return {.key = "steps",
          .title = "Steps",
          .meaning = "which steps were recorded, and how long were they?",
          .view = kStepsView,
          .json_views = kAllViews,
          .columns = columns.Take(),
          .rows = [](const Summary& s) { return RowList::Of(s.steps); }};
}

}  // namespace stepscope
