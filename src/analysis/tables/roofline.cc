// SPDX-License-Identifier: Apache-2.0
//
// Roofline table: how near kernels, operators, modules and steps come to what
// the device can do, as its counters measured it.
#include "analysis/counters/roofline.h"

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/counters/measured_groups.h"
#include "analysis/module_names.h"
#include "analysis/schema.h"
#include "analysis/summary.h"
#include "analysis/tables/counter_columns.h"

namespace stepscope {
namespace {

struct RooflineRow {
  std::string_view of;  // "kernel"
  std::string_view name;
  const MeasuredWork* work = nullptr;
  Roofline roofline;
};

std::optional<std::string_view> LimitText(const RooflineRow& row) {
  if (!row.roofline.limit) return std::nullopt;
  switch (*row.roofline.limit) {
    case RoofLimit::kMemory:
      return "memory";
    case RoofLimit::kTensorCores:
      return "tensor cores";
    case RoofLimit::kNone:
      break;
  }
  return "neither";
}

RowList RooflineRows(const Summary& summary) {
  using Level = MeasuredGroups::Level;
  if (summary.measured == nullptr) return {};
  const MeasuredGroups& measured = *summary.measured;
  std::vector<RooflineRow> rows;
  const auto add = [&](std::string_view of, std::string_view name,
                       const MeasuredWork& work) {
    if (work.measured_ratio() > 0)
      rows.push_back(
          {of, name, &work, CompareWithPeaks(work, measured.peaks())});
  };
  add("work", "all work", measured.all());
  if (summary.has_steps) add("steps", "all steps", measured.steps());
  const auto add_all = [&](std::string_view of, Level level) {
    for (const StringId id : measured.Names(level)) {
      const std::string_view name = summary.trace->str(id);
      add(of, level == Level::kModule ? ModuleIn(name) : name,
          *measured.Find(level, id));
    }
  };
  // With what is outside of them, so that they add up to all work.
  const auto add_whole = [&](std::string_view of, Level level,
                             std::string_view outside) {
    const size_t before = rows.size();
    add_all(of, level);
    if (rows.size() > before) add(of, outside, measured.Outside(level));
  };
  add_all("kernel", Level::kKernel);
  add_whole("operator", Level::kOperator, "(no operator)");
  add_whole("module", Level::kModule, "(no module)");
  return RowList::Own(std::move(rows));
}

}  // namespace

TableSchema DeclareRooflineTable() {
  ColumnsOf<RooflineRow> columns;
  columns
      .Text("of",
            "what the row is of: work, all of it; steps, the settled ones; "
            "kernel; operator; module. Work is in one row of each kind",
            &RooflineRow::of)
      .OnlyIfAny();
  columns
      .Text("name", "its name; of a module class and number",
            &RooflineRow::name)
      .TellsApart();
  columns
      .Text("limit",
            "which limit it has reached: memory or tensor cores, from 60 % of "
            "what these can do; neither; empty where what was measured does "
            "not tell",
            LimitText)
      .OnlyIfAny();
  columns
      .Time("gpu_ns", Adds::kSum, "device work, plain sum",
            [](const RooflineRow& row) { return row.work->work_ns; })
      .OnlyIfAny();
  columns
      .Ratio("memory_ratio",
             "traffic as a share of the peak of the device's memory, where "
             "that is known",
             [](const RooflineRow& row) { return row.roofline.memory_ratio; })
      .OnlyIfAny()
      .As("Of the memory's peak");
  columns
      .Number("tflops_per_s", "TFLOP/s",
              "floating-point operations of operators with known shapes, by "
              "the time of the row",
              [](const RooflineRow& row) { return row.work->tflops_per_s(); })
      .OnlyIfAny()
      .As("TFLOP/s");
  columns
      .Ratio("peak_ratio",
             "that as a share of the peak of the device's arithmetic, where "
             "that is known",
             [](const RooflineRow& row) { return row.roofline.peak_ratio; })
      .OnlyIfAny()
      .As("Of the peak");
  columns
      .Ratio("roof_ratio",
             "that as a share of what arithmetic and memory allow for so many "
             "operations per byte, where their peaks are known",
             [](const RooflineRow& row) { return row.roofline.roof_ratio; })
      .OnlyIfAny()
      .As("Of the roofline");
  AddCounters(columns, [](const RooflineRow& row) { return row.work; });
  return {.key = "roofline",
          .title = "Measured Roofline",
          .meaning =
              "what limits kernels, operators and modules: memory, "
              "tensor cores, or neither?",
          .columns = columns.Take(),
          .rows = RooflineRows};
}

}  // namespace stepscope
