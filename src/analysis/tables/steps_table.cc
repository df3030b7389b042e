// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <optional>

#include "analysis/schema.h"
#include "analysis/summary.h"
#include "analysis/tables/counter_columns.h"

namespace stepscope {

TableSchema DeclareStepsTable() {
  ColumnsOf<StepRow> columns;
  columns.Count("index", "number of the step", &StepRow::index);
  columns.Moment("start_ns", "when it began", &StepRow::start_ns);
  columns.Time("dur_ns", "how long it took on the host", &StepRow::dur_ns)
      .As("On the host");
  columns
      .Time("period_ns",
            "from its start to the next one's, on the host or on the "
            "device, whichever paces the loop",
            &StepRow::period_ns)
      .As("Start to start");
  columns
      .Moment("device_start_ns",
              "when the device began the first work that it launched; empty "
              "if there was none",
              &StepRow::device_start_ns)
      .As("Start on the device");
  columns
      .Moment("device_end_ns", "when the device ended the last of it",
              &StepRow::device_end_ns)
      .As("End on the device");
  columns.Bool("warmup", "whether it was one of the first and not yet settled",
               &StepRow::warmup);
  columns
      .Count("rank", "rank of its process; empty if none is stated",
             &StepRow::rank)
      .AbsentIfNull();
  const auto energy = [](auto value) {
    return [value](const StepRow& row) {
      using Value = std::optional<decltype(value(*row.energy))>;
      return row.energy ? Value(value(*row.energy)) : Value();
    };
  };
  columns
      .Number("energy.j", "J",
              "joules of the devices of its process while it ran",
              energy([](const EnergyOfStep& of) { return Joules(of.part.mj); }))
      .OnlyIfAny()
      .As("Energy");
  columns
      .Number("energy.error_j", "J", "by how much that may be off, at most",
              energy([](const EnergyOfStep& of) {
                return Joules(of.part.error_mj);
              }))
      .OnlyIfAny()
      .As("Energy, at most off by");
  columns
      .Ratio("energy.measured_ratio",
             "share of its time in which energy was measured",
             energy(std::mem_fn(&EnergyOfStep::measured_ratio)))
      .OnlyIfAny()
      .As("Energy measured");
  columns
      .Bool("energy.shared",
            "whether a window of the measurement reaches beyond it, so that it "
            "has its share of that, by time",
            energy([](const EnergyOfStep& of) { return of.part.shared; }))
      .OnlyIfAny()
      .As("Share of a window");
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
