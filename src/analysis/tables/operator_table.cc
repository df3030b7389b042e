// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "analysis/schema.h"
#include "analysis/summary.h"
#include "analysis/tables/common_columns.h"
#include "analysis/tables/counter_columns.h"
#include "analysis/tables/operator.h"

namespace stepscope {

namespace {

struct ThreadOperator {
  const OperatorRow* row = nullptr;
  std::optional<int64_t> thread;
};

template <typename Row>
uint64_t CallsOf(const Row& row) {
  return row.calls;
}

ColumnsOf<OperatorDeviceRow> DeviceColumns() {
  ColumnsOf<OperatorDeviceRow> columns;
  columns.Text("name", "name of the kernel, copy or set",
               &OperatorDeviceRow::name);
  columns.Count("calls", "how often it ran", &OperatorDeviceRow::calls);
  AddTimes(
      columns, "gpu", {"its time", "the GPU total of the row around"},
      [](const OperatorDeviceRow& row) { return row.gpu; },
      CallsOf<OperatorDeviceRow>);
  return columns;
}

ColumnsOf<OperatorInnerRow> InnerColumns() {
  ColumnsOf<OperatorInnerRow> columns;
  columns.Text("name", "name of the event", &OperatorInnerRow::name);
  columns.Count("calls", "how often it occurred, outermost ones",
                &OperatorInnerRow::calls);
  columns.Count("nested_calls", kNestedCalls, &OperatorInnerRow::nested_calls);
  AddTimes(
      columns, "cpu", {"its time", "the operator's CPU total"},
      [](const OperatorInnerRow& row) { return row.cpu; },
      CallsOf<OperatorInnerRow>);
  AddTimes(
      columns, "gpu",
      {"device work launched inside", "the operator's GPU total"},
      [](const OperatorInnerRow& row) { return row.gpu; },
      CallsOf<OperatorInnerRow>);
  columns
      .Nested(
          "device", "device work that it launched", DeviceColumns(),
          [](const OperatorInnerRow& row) { return RowList::Of(row.device); })
      .As("On the device");
  return columns;
}

ColumnsOf<ThreadOperator> OperatorColumns() {
  const auto calls = [](const ThreadOperator& row) { return row.row->calls; };
  ColumnsOf<ThreadOperator> columns;
  columns.Text("name",
               "name of the operator; (no launch): device work whose "
               "launch was not recorded",
               [](const ThreadOperator& row) { return row.row->name; });
  columns.Count("calls", "events of that name, outermost ones", calls);
  columns.Count("nested_calls", kNestedCalls, [](const ThreadOperator& row) {
    return row.row->nested_calls;
  });
  AddTimes(
      columns, "cpu", {"time of the calls", "all outermost operators"},
      [](const ThreadOperator& row) { return row.row->cpu; }, calls);
  AddSpread(columns, "cpu", [](const ThreadOperator& row) -> const Spread& {
    return row.row->cpu_spread;
  });
  AddTimes(
      columns, "gpu",
      {"device work launched inside", "all outermost operators"},
      [](const ThreadOperator& row) { return row.row->gpu; }, calls);
  AddSpread(columns, "gpu", [](const ThreadOperator& row) -> const Spread& {
    return row.row->gpu_spread;
  });
  columns.Time("self_cpu_ns", Adds::kSum,
               "time of the calls less child events and API calls",
               [](const ThreadOperator& row) { return row.row->self_cpu_ns; });
  columns.Time("self_gpu_ns", Adds::kSum,
               "device work launched by the operator itself",
               [](const ThreadOperator& row) { return row.row->self_gpu_ns; });
  columns
      .Nested(
          "inner", "events directly inside that are not operators, by name",
          InnerColumns(),
          [](const ThreadOperator& row) { return RowList::Of(row.row->inner); })
      .As("Inside");
  columns
      .Nested("device", "device work that the operator itself launched",
              DeviceColumns(),
              [](const ThreadOperator& row) {
                return RowList::Of(row.row->device);
              })
      .As("On the device");
  columns.Count("thread", "id of the thread, with --thread-sep",
                &ThreadOperator::thread);
  AddCounters(columns,
              [](const ThreadOperator& row) { return row.row->measured; });
  return columns;
}

RowList OperatorRows(const Summary& summary) {
  std::vector<ThreadOperator> rows;
  for (const OperatorGroup& group : summary.operators) {
    std::optional<int64_t> thread;
    if (summary.thread_sep && !group.unknown_thread) thread = group.thread_id;
    for (const OperatorRow& row : group.rows) rows.push_back({&row, thread});
  }
  return RowList::Own(std::move(rows));
}

}  // namespace

TableSchema DeclareOperatorTable() {
  return {.key = "operator",
          .paddle_name = "OperatorView",
          .title = "Operator",
          .meaning = "which operators, and what inside them?",
          .view = kOperatorView,
          .json_views = kOperatorView | kPercentileView,
          .ranked = true,
          .columns = OperatorColumns().Take(),
          .rows = OperatorRows,
          .nothing = [](const Summary& s) { return s.operators.empty(); }};
}

}  // namespace stepscope
