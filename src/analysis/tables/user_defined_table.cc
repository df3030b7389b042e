// SPDX-License-Identifier: Apache-2.0
//
// The tables of user-defined events: those that manipulate memory, and the
// rest.
#include <optional>

#include "analysis/schema.h"
#include "analysis/summary.h"
#include "analysis/tables/common_columns.h"
#include "analysis/tables/user_defined.h"

namespace stepscope {

namespace {

struct ThreadEvent {
  const RangeRow* row = nullptr;
  std::optional<int64_t> thread;
};

// `named` gives the NamedRow of a Row. `more` adds to the columns of the host
// and of the device, each at their end: in JSON they are one object.
template <typename Row, typename Named, typename More>
ColumnsOf<Row> NamedColumns(Named named, More more) {
  const auto calls = [=](const Row& row) { return named(row).calls; };
  ColumnsOf<Row> columns;
  columns.Text("name", "name of the events",
               [=](const Row& row) { return named(row).name; });
  columns.Count("calls", "events of that name, outermost ones", calls);
  columns.Count("nested_calls", kNestedCalls,
                [=](const Row& row) { return named(row).nested_calls; });
  AddTimes(
      columns, "cpu",
      {"time of the calls",
       "the steps of its threads, as far as it lies in them"},
      [=](const Row& row) { return named(row).cpu; }, calls);
  more(columns, "cpu", &RangeRow::cpu_spread);
  AddTimes(
      columns, "gpu", {"device work launched inside", "all device work"},
      [=](const Row& row) { return named(row).gpu; }, calls);
  more(columns, "gpu", &RangeRow::gpu_spread);
  return columns;
}

RowList UserDefinedRows(const Summary& summary) {
  std::vector<ThreadEvent> rows;
  for (const ThreadRows& group : summary.user_defined) {
    std::optional<int64_t> thread;
    if (summary.thread_sep) thread = group.thread_id;
    for (const RangeRow& row : group.rows) rows.push_back({&row, thread});
  }
  return RowList::Own(std::move(rows));
}

}  // namespace

TableSchema DeclareMemoryManipulationTable() {
  return {
      .key = "memory_manipulation",
      .paddle_name = "MemoryManipulationView",
      .title = "Memory Manipulation",
      .meaning = "what do copies cost?",
      .view = kMemoryManipulationView,
      .json_views = kMemoryManipulationView,
      .columns =
          NamedColumns<NamedRow>(
              [](const NamedRow& row) -> const NamedRow& { return row; },
              [](ColumnsOf<NamedRow>&, const char*, Spread RangeRow::*) {})
              .Take(),
      .rows =
          [](const Summary& s) { return RowList::Of(s.memory_manipulation); },
      .nothing = [](const Summary& s) { return s.memory_manipulation.empty(); },
  };
}

TableSchema DeclareUserDefinedTable() {
  auto columns = NamedColumns<ThreadEvent>(
      [](const ThreadEvent& row) -> const NamedRow& { return *row.row; },
      [](ColumnsOf<ThreadEvent>& more, const char* side,
         Spread RangeRow::*spread) {
        AddSpread(more, side, [=](const ThreadEvent& row) -> const Spread& {
          return row.row->*spread;
        });
      });
  columns.Count("thread", "id of the thread, with --thread-sep",
                &ThreadEvent::thread);
  return {.key = "user_defined",
          .paddle_name = "UDFView",
          .title = "UserDefined",
          .meaning = "what do my own events cost?",
          .view = kUserDefinedView,
          .json_views = kUserDefinedView | kPercentileView,
          .ranked = true,
          .columns = columns.Take(),
          .rows = UserDefinedRows,
          .nothing = [](const Summary& s) { return s.user_defined.empty(); }};
}

}  // namespace stepscope
