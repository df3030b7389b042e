// SPDX-License-Identifier: Apache-2.0
//
// Operators by name and shapes of their inputs. Calls, times and shares are as
// in the Operator table, which these rows add up to.
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/kinds.h"
#include "analysis/op_shapes.h"
#include "analysis/stats.h"
#include "analysis/tables/common_columns.h"
#include "analysis/tables/rows.h"
#include "analysis/views/view_table.h"

namespace stepscope {
namespace {

struct ShapeRow {
  std::string_view name;
  std::string shapes;
  uint64_t calls = 0;
  TimeStats cpu_stats;
  TimeStats gpu_stats;
  TimeColumn cpu;
  TimeColumn gpu;
};

class Shapes {
 public:
  explicit Shapes(const EventTree& tree) : tree_(tree), raw_(tree.trace()) {
    for (uint32_t i = 0; i < tree.threads().size(); ++i) AddThread(i);
    for (const DeviceWork& work : tree.work()) {
      if (work.launch != kNoRow) continue;
      gpu_ns_ = SaturatingAdd(gpu_ns_, tree.trace().dur_ns()[work.row]);
    }
  }

  // Empty where no operator states its shapes.
  std::vector<ShapeRow> Rows() {
    if (!any_) return {};
    for (ShapeRow& row : rows_) {
      row.cpu = TimeColumn::Of(row.cpu_stats, cpu_ns_);
      row.gpu = TimeColumn::Of(row.gpu_stats, gpu_ns_);
    }
    return std::move(rows_);
  }

 private:
  void AddThread(uint32_t thread) {
    const Trace& trace = tree_.trace();
    OpenSpan outermost;
    std::unordered_map<uint32_t, OpenSpan> of_name;
    tree_.ForEachNested(thread, [&](Row row, const Interval& span) {
      if (trace.type()[row] != STEPSCOPE_OPERATOR) return;
      if (outermost.Enter(span.begin, span.end)) {
        cpu_ns_ = SaturatingAdd(cpu_ns_, trace.dur_ns()[row]);
        gpu_ns_ = SaturatingAdd(gpu_ns_, tree_.gpu_ns(row));
      }
      if (!of_name[trace.name()[row].v].Enter(span.begin, span.end)) return;
      ShapeRow& group = GroupOf(row);
      ++group.calls;
      group.cpu_stats.Add(trace.dur_ns()[row]);
      group.gpu_stats.Add(tree_.gpu_ns(row));
    });
  }

  ShapeRow& GroupOf(Row row) {
    const Trace& trace = tree_.trace();
    OpShapes shapes = ShapesOf(trace, row, raw_.Get(row));
    any_ = any_ || !shapes.text.empty();
    const auto [found, is_new] = slots_.try_emplace(
        {trace.name()[row].v, std::move(shapes.text)}, rows_.size());
    if (is_new) {
      ShapeRow& made = rows_.emplace_back();
      made.name = trace.str(trace.name()[row]);
      made.shapes = found->first.second;
    }
    return rows_[found->second];
  }

  const EventTree& tree_;
  RawArgReader raw_;
  std::map<std::pair<uint32_t, std::string>, size_t> slots_;
  std::vector<ShapeRow> rows_;
  int64_t cpu_ns_ = 0;  // of the outermost operators
  int64_t gpu_ns_ = 0;  // and of work whose launch was not recorded
  bool any_ = false;
};

}  // namespace

ViewTable DeclareOperatorShapesViewTable() {
  ColumnsOf<ShapeRow> columns;
  columns.Text("name", "name of the operator", &ShapeRow::name);
  columns.Text("shapes", "shapes of its inputs, as recorded",
               &ShapeRow::shapes);
  columns.Count("calls", "events of that name and shapes, outermost ones",
                &ShapeRow::calls);
  const auto calls = [](const ShapeRow& row) { return row.calls; };
  AddTimes(
      columns, "cpu", {"time of the calls", "all outermost operators"},
      [](const ShapeRow& row) { return row.cpu; }, calls);
  AddTimes(
      columns, "gpu",
      {"device work launched inside", "all outermost operators"},
      [](const ShapeRow& row) { return row.gpu; }, calls);
  return {.key = "operator_shapes",
          .title = "Operators by shape",
          .meaning = "which shapes of an operator take the time?",
          .columns = columns.Take(),
          .rows = [](const ViewInput& input) {
            return RowList::Own(Shapes(input.tree).Rows());
          }};
}

}  // namespace stepscope
