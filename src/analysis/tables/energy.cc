// SPDX-License-Identifier: Apache-2.0
//
// Energy table: joules of each device, of a step and of what is in none.
#include "analysis/counters/step_energy.h"
#include "analysis/schema.h"
#include "analysis/summary.h"

namespace stepscope {

TableSchema DeclareEnergyTable() {
  ColumnsOf<EnergyRow> columns;
  columns
      .Text("device", "GPU0; of several processes, with whose it is",
            &EnergyRow::device)
      .OnlyIfAny();
  columns
      .Number("step_j", "J",
              "a step, on average: of the settled or chosen steps that were "
              "measured from begin to end",
              &EnergyRow::joules_per_step)
      .OnlyIfAny()
      .As("Energy per step");
  columns
      .Number("step_error_j", "J",
              "by how much that may be off, at most: the counter does not "
              "change all the time",
              &EnergyRow::error_per_step)
      .OnlyIfAny()
      .As("Per step, at most off by");
  columns
      .Number("sample_j", "J",
              "a sample, on average of the same steps: where each of them "
              "says how many samples it worked on, as step(num_samples) does",
              &EnergyRow::joules_per_sample)
      .OnlyIfAny()
      .As("Energy per sample");
  columns
      .Number("sample_error_j", "J", "by how much that may be off, at most",
              &EnergyRow::error_per_sample)
      .OnlyIfAny()
      .As("Per sample, at most off by");
  columns
      .Count("steps", "how many steps that is the average of",
             &EnergyRow::steps)
      .OnlyIfAny();
  columns
      .Bool("shared",
            "whether a window of the measurement reaches beyond one of these: "
            "the step has its share of that, by time",
            [](const EnergyRow& row) -> std::optional<bool> {
              if (row.steps == 0) return std::nullopt;
              return row.shared;
            })
      .OnlyIfAny()
      .As("Shares of windows");
  columns
      .Number("watts", "W", "mean power while it was measured",
              &EnergyRow::watts)
      .OnlyIfAny()
      .As("Power");
  columns
      .Time("measured_ns", "how long energy was measured",
            [](const EnergyRow& row) { return row.all.measured_ns; })
      .OnlyIfAny();
  columns
      .Number("all_j", "J",
              "all energy that was measured: in_steps_j and outside_j together",
              [](const EnergyRow& row) { return Joules(row.all.mj); })
      .OnlyIfAny()
      .As("Energy");
  columns
      .Number("error_j", "J", "by how much that may be off, at most",
              [](const EnergyRow& row) { return Joules(row.all.error_mj); })
      .OnlyIfAny()
      .As("Energy, at most off by");
  columns
      .Number("in_steps_j", "J",
              "in steps of the thread that steps, whether they count or not",
              [](const EnergyRow& row) { return Joules(row.in_steps.mj); })
      .OnlyIfAny()
      .As("Energy in steps");
  columns
      .Number("outside_j", "J", "in no step",
              [](const EnergyRow& row) { return Joules(row.outside_mj()); })
      .OnlyIfAny()
      .As("Energy outside");
  return {.key = "energy",
          .title = "Energy",
          .meaning = "how many joules does a step cost?",
          .columns = columns.Take(),
          .rows = [](const Summary& s) { return RowList::Of(s.energy); }};
}

}  // namespace stepscope
