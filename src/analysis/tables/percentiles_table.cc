// SPDX-License-Identifier: Apache-2.0
//
// How the calls of one name differ. In JSON these columns are part of the
// tables user_defined, operator and kernel.
#include "analysis/schema.h"
#include "analysis/summary.h"
#include "analysis/tables/common_columns.h"

namespace stepscope {

namespace {

struct SpreadRow {
  std::string_view name;
  std::string_view of;  // "range", "operator" or "kernel"
  uint64_t calls = 0;
  const Spread* cpu = nullptr;
  const Spread* gpu = nullptr;
};

const Spread& SpreadOrNone(const Spread* spread) {
  static const Spread none;
  return spread != nullptr ? *spread : none;
}

RowList SpreadRows(const Summary& summary) {
  std::vector<SpreadRow> rows;
  for (const ThreadRows& group : summary.user_defined) {
    for (const RangeRow& row : group.rows) {
      rows.push_back(
          {row.name, "range", row.calls, &row.cpu_spread, &row.gpu_spread});
    }
  }
  for (const OperatorGroup& group : summary.operators) {
    for (const OperatorRow& row : group.rows) {
      rows.push_back(
          {row.name, "operator", row.calls, &row.cpu_spread, &row.gpu_spread});
    }
  }
  for (const KernelRow& row : summary.kernel)
    rows.push_back({row.name, "kernel", row.calls, nullptr, &row.spread});
  return RowList::Own(std::move(rows));
}

}  // namespace

TableSchema DeclarePercentilesTable() {
  ColumnsOf<SpreadRow> columns;
  columns.Text("name", "name of the range, operator or kernel",
               &SpreadRow::name);
  columns.Text("of", "range, operator or kernel", &SpreadRow::of);
  columns.Count("calls", "events of that name, outermost ones",
                &SpreadRow::calls);
  AddPercentiles(columns, "cpu", [](const SpreadRow& row) -> const Spread& {
    return SpreadOrNone(row.cpu);
  });
  AddPercentiles(columns, "gpu", [](const SpreadRow& row) -> const Spread& {
    return SpreadOrNone(row.gpu);
  });
  return {.key = "percentiles",
          .title = "Percentiles",
          .meaning = "how do calls of one name differ?",
          .view = kPercentileView,
          .columns = columns.Take(),
          .rows = SpreadRows,
          .nothing = [](const Summary& s) {
            return s.operators.empty() && s.kernel.empty() &&
                   s.user_defined.empty();
          }};
}

}  // namespace stepscope
