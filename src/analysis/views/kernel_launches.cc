// SPDX-License-Identifier: Apache-2.0
//
// Kernels by name and how they were launched: operator, grid, block,
// registers, shared memory. The rows of a name add up to it in the Kernel
// table.
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "analysis/kernel_use.h"
#include "analysis/kinds.h"
#include "analysis/name_class.h"
#include "analysis/stats.h"
#include "analysis/tables/common_columns.h"
#include "analysis/tables/rows.h"
#include "analysis/views/event_argument.h"
#include "analysis/views/launch_operator.h"
#include "analysis/views/view_table.h"

namespace stepscope {
namespace {

// A mean weighted by duration.
struct WeightedMean {
  double sum = 0;
  double weight = 0;

  void Add(std::optional<double> value, int64_t dur_ns) {
    if (!value || !std::isfinite(*value)) return;
    sum += *value * static_cast<double>(dur_ns);
    weight += static_cast<double>(dur_ns);
  }
  std::optional<double> Mean() const {
    if (weight <= 0) return std::nullopt;
    return sum / weight;
  }
};

struct LaunchRow {
  std::string_view name;
  std::string_view op;
  std::string grid;
  std::string block;
  std::optional<int64_t> registers;
  std::optional<int64_t> shared_bytes;
  bool tensor_core = false;
  uint64_t calls = 0;
  TimeStats stats;
  TimeColumn gpu;
  WeightedMean occupancy;
  WeightedMean blocks;
};

std::optional<int64_t> WholeNumber(std::optional<double> value) {
  if (!value || !(std::abs(*value) < 9e15)) return std::nullopt;
  return static_cast<int64_t>(*value);
}

class Launches {
 public:
  explicit Launches(const EventTree& tree)
      : tree_(tree),
        raw_(tree.trace()),
        use_(tree.trace()),
        names_(tree.trace().strings()) {
    for (const DeviceWork& work : tree.work())
      if (tree.trace().type()[work.row] == STEPSCOPE_KERNEL) Add(work);
  }

  std::vector<LaunchRow> Rows() {
    for (LaunchRow& row : rows_) row.gpu = TimeColumn::Of(row.stats, total_ns_);
    return std::move(rows_);
  }

 private:
  void Add(const DeviceWork& work) {
    const int64_t dur = tree_.trace().dur_ns()[work.row];
    LaunchRow& row = GroupOf(work);
    ++row.calls;
    row.stats.Add(dur);
    total_ns_ = SaturatingAdd(total_ns_, dur);
    const KernelUseSample sample = use_.Read(work.row);
    row.blocks.Add(sample.blocks_per_sm, dur);
    row.occupancy.Add(sample.occupancy, dur);
  }

  LaunchRow& GroupOf(const DeviceWork& work) {
    const Trace& trace = tree_.trace();
    const std::string_view raw = raw_.Get(work.row);
    const auto text = [&](std::string_view key) {
      return ArgumentText(trace, work.row, raw, key);
    };
    const auto number = [&](std::string_view key) {
      return WholeNumber(ArgumentNumber(trace, work.row, raw, key));
    };
    const StringId name = trace.name()[work.row];
    const std::string_view op = LaunchingOperator(tree_, work);
    const auto [found, is_new] = slots_.try_emplace(
        {name.v, op, text("grid"), text("block"),
         number("registers per thread"), number("shared memory")},
        rows_.size());
    if (is_new) {
      LaunchRow& made = rows_.emplace_back();
      made.name = trace.str(name);
      made.op = op;
      made.grid = std::get<2>(found->first);
      made.block = std::get<3>(found->first);
      made.registers = std::get<4>(found->first);
      made.shared_bytes = std::get<5>(found->first);
      made.tensor_core = names_.tensor_core_kernel(name);
    }
    return rows_[found->second];
  }

  using Key = std::tuple<uint32_t, std::string_view, std::string, std::string,
                         std::optional<int64_t>, std::optional<int64_t>>;
  const EventTree& tree_;
  RawArgReader raw_;
  KernelUseReader use_;
  NameClasses names_;
  std::map<Key, size_t> slots_;
  std::vector<LaunchRow> rows_;
  int64_t total_ns_ = 0;
};

}  // namespace

ViewTable DeclareKernelLaunchesViewTable() {
  ColumnsOf<LaunchRow> columns;
  columns.Text("name", "whole name of the kernel", &LaunchRow::name);
  columns.Text("operator", "innermost operator around the launch",
               &LaunchRow::op);
  columns.Text("grid", "blocks in x, y and z", &LaunchRow::grid);
  columns.Text("block", "threads of a block in x, y and z", &LaunchRow::block);
  columns.Count("registers", "registers per thread", &LaunchRow::registers);
  columns
      .Bytes("shared_bytes", Adds::kNothing, "shared memory of a block",
             &LaunchRow::shared_bytes)
      .As("Shared memory");
  columns.Count("calls", "how often it ran", &LaunchRow::calls);
  AddTimes(
      columns, "gpu", {"time of the calls", "all kernels"},
      [](const LaunchRow& row) { return row.gpu; },
      [](const LaunchRow& row) { return row.calls; });
  columns.Number("blocks_per_sm", "", "mean blocks per multiprocessor, by time",
                 [](const LaunchRow& row) { return row.blocks.Mean(); });
  columns.Ratio("occupancy",
                "mean share of the warps that a multiprocessor can hold, over "
                "the calls that state it",
                [](const LaunchRow& row) { return row.occupancy.Mean(); });
  columns
      .Bool("tensor_core_estimated",
            "whether it uses tensor cores, concluded from its name",
            &LaunchRow::tensor_core)
      .As("Tensor cores");
  return {.key = "kernel_launches",
          .title = "Kernels by attributes",
          .meaning = "how were the kernels launched that take the time?",
          .columns = columns.Take(),
          .rows = [](const ViewInput& input) {
            return RowList::Own(Launches(input.tree).Rows());
          }};
}

}  // namespace stepscope
