// SPDX-License-Identifier: Apache-2.0
//
// Who takes more memory in every step, with the line that does.
#include "analysis/schema.h"
#include "analysis/stats.h"
#include "analysis/summary.h"
#include "analysis/tables/memory.h"
#include "analysis/tables/memory_columns.h"

namespace stepscope {
namespace {

struct GrowthRow {
  std::string process;
  LeakRow leak;
};

RowList GrowthRows(const Summary& summary) {
  const Trace& trace = *summary.trace;
  const EventTree tree(trace);
  const StepTable steps(tree);
  std::vector<GrowthRow> rows;
  for (const MemoryPlace& place : ComputeMemory(tree, steps))
    for (const LeakRow& leak : place.life.leaks)
      rows.push_back({place.process_name, leak});
  return RowList::Own(std::move(rows));
}

}  // namespace

TableSchema DeclareMemoryGrowthTable() {
  ColumnsOf<GrowthRow> columns;
  columns.Text("name", "the operator or function that allocated it",
               [](const GrowthRow& row) { return row.leak.name; });
  AddProcessColumn(columns, &GrowthRow::process);
  columns.Bytes("bytes_per_step", Adds::kNothing,
                "bytes that a step adds, on average", [](const GrowthRow& row) {
                  return AverageNs(row.leak.bytes, row.leak.steps);
                });
  columns.Bytes("bytes", Adds::kSum, "bytes of these steps, never freed",
                [](const GrowthRow& row) { return row.leak.bytes; });
  columns.Count("steps", "steps in which it grew",
                [](const GrowthRow& row) { return row.leak.steps; });
  columns.Text("line", "the innermost line of the program that is not torch's",
               [](const GrowthRow& row) { return TextOrNone(row.leak.line); });
  return {.key = "memory_growth",
          .title = "Growth of memory",
          .meaning = "which lines take more memory in every step?",
          .ranked = true,
          .columns = columns.Take(),
          .rows = GrowthRows};
}

}  // namespace stepscope
