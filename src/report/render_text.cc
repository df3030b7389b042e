// SPDX-License-Identifier: Apache-2.0
#include "report/render_text.h"

#include <algorithm>
#include <unordered_map>

#include "analysis/name_class.h"
#include "base/visible_text.h"
#include "report/cells.h"
#include "report/grid.h"
#include "report/render_advice.h"
#include "report/text_notes.h"
#include "report/text_table.h"

namespace stepscope {
namespace {

constexpr std::string_view kCpuFive = "CPU Total / Avg / Max / Min / Ratio(%)";
constexpr std::string_view kGpuFive = "GPU Total / Avg / Max / Min / Ratio(%)";
constexpr size_t kFiveWidth = 40;
constexpr size_t kCallsWidth = 6;
constexpr size_t kFlopsWidth = 10;
// The reference does not shorten these names; ours may be 64 KiB long.
constexpr size_t kLongestName = 200;

std::string DisplayName(std::string_view name, size_t limit = kLongestName) {
  return Shorten(VisibleText(name), limit);
}

// A table whose columns are as wide as what is in them: rows first, then out.
class SizedRows {
 public:
  // Columns after the name: calls, then `fives` columns of five values.
  explicit SizedRows(size_t name_width, size_t fives)
      : widths_{name_width, kCallsWidth} {
    widths_.insert(widths_.end(), fives, kFiveWidth);
  }
  void AddColumn(size_t width) { widths_.push_back(width); }
  void Add(std::vector<std::string> cells) {
    for (size_t i = 1; i < cells.size(); ++i) {
      widths_[i] = std::max(widths_[i], cells[i].size());
    }
    rows_.push_back(std::move(cells));
  }
  void AddTitle(std::string title) { rows_.push_back({std::move(title)}); }
  void WidenName() {
    for (const auto& row : rows_) {
      if (row.size() > 1) {
        widths_[0] = std::max(widths_[0], DisplayWidth(row[0]));
      }
    }
  }
  const std::vector<size_t>& widths() const { return widths_; }
  void Print(TextTable& table) const {
    for (const auto& row : rows_) {
      if (row.size() == 1) {
        table.Title(row[0]);
      } else {
        table.Row(row);
      }
    }
  }

 private:
  std::vector<size_t> widths_;
  std::vector<std::vector<std::string>> rows_;
};

class TextRenderer {
 public:
  TextRenderer(const Summary& summary, const TableOptions& options)
      : summary_(summary),
        cells_(options.unit),
        unit_("Time unit: " + std::string(TimeUnitName(options.unit))),
        thread_sep_(options.thread_sep),
        flops_(options.flops) {
    for (const FlopsRow& row : summary.flops.rows) {
      if (flops_) flops_of_[row.id.v] = row.flops;
    }
  }

  void Device();
  void OverviewTable();
  void Model();
  void DistributionTable();
  void Operator();
  void Kernel();
  void MemoryManipulation();
  void UserDefinedTable();
  void Memory();
  void StepTables(const TableOptions& options);
  void Notes();
  std::string Take() { return std::move(out_); }

 private:
  void Head(TextTable& table, std::string_view title,
            const std::vector<std::string>& heads) {
    table.Title(title);
    table.Line(unit_);
    table.Separator();
    table.Row(heads);
    table.Separator();
  }
  void AddDevices(SizedRows& rows, const std::vector<OperatorDeviceRow>& list,
                  size_t indent, size_t limit) const {
    for (const OperatorDeviceRow& device : list) {
      AddLine(rows,
              {std::string(indent, ' ') + DisplayName(device.name, limit),
               std::to_string(device.calls), Cells::NoTimes(),
               cells_.Five(device.gpu, device.calls), "-"});
    }
  }
  // A line of the Operator table; its last column is shown where FLOPs are.
  void AddLine(SizedRows& rows, std::vector<std::string> cells) const {
    if (!flops_) cells.pop_back();
    rows.Add(std::move(cells));
  }
  std::string FlopsOf(const OperatorRow& row) const {
    const auto flops = flops_of_.find(row.id.v);
    return row.no_launch || flops == flops_of_.end()
               ? "0"
               : std::to_string(flops->second);
  }
  void AddOperator(SizedRows& rows, const OperatorRow& row) const;
  void AddNamed(SizedRows& rows, const NamedRow& row) const {
    rows.Add({DisplayName(row.name), std::to_string(row.calls),
              cells_.Five(row.cpu, row.calls),
              cells_.Five(row.gpu, row.calls)});
  }
  std::string ThreadTitle(int64_t id) const {
    return thread_sep_ ? "Thread: " + std::to_string(id)
                       : "Thread: All threads merged";
  }

  const Summary& summary_;
  const Cells cells_;
  const std::string unit_;
  const bool thread_sep_;
  const bool flops_;
  std::unordered_map<uint32_t, int64_t> flops_of_;  // by name
  std::string out_;
};

void TextRenderer::Device() {
  TextTable table(out_, {30, 20});
  table.Title("Device Summary");
  table.Separator();
  table.Row({"Device", "Utilization (%)"});
  table.Separator();
  for (const DeviceRow& row : summary_.device) {
    table.Row({VisibleText(row.name), row.utilization
                                          ? Cells::Percent(*row.utilization)
                                          : std::string("-")});
  }
  table.Separator();
  table.Line(kDeviceNote);
  table.Rule();
  table.End();
}

void TextRenderer::OverviewTable() {
  TextTable table(out_, {25, 25, 25, 25});
  Head(table, "Overview Summary",
       {"Event Type", "Calls", "CPU Time", "Ratio (%)"});
  const auto add = [&](const OverviewRow& row, std::string_view indent) {
    table.Row({std::string(indent) + row.type, std::to_string(row.calls),
               cells_.Time(row.time_ns), Cells::Percent(row.ratio)});
  };
  // Steps stand first and contain the rest.
  bool first = summary_.has_steps;
  for (const OverviewRow& row : summary_.overview.cpu) {
    add(row, first ? "" : "  ");
    first = false;
  }
  table.Separator();
  table.Row({"", "Calls", "GPU Time", "Ratio (%)"});
  table.Separator();
  for (const OverviewRow& row : summary_.overview.gpu) add(row, "  ");
  table.Separator();
  table.Line(kOverviewNote);
  table.Rule();
  table.End();
}

void TextRenderer::Model() {
  if (!ShowsModel(summary_.model)) return;
  SizedRows rows(15, 2);
  for (const ModelRow& row : summary_.model) {
    const bool step = &row == &summary_.model.front() && summary_.has_steps;
    std::string name = (step ? "" : "  ") + std::string(row.name);
    if (row.name == kOthersName) {
      rows.Add({name, "-", cells_.TotalOnly(row.cpu),
                cells_.TotalOnly(row.gpu)});
      continue;
    }
    if (row.inferred) name += " *";
    rows.Add({name, std::to_string(row.calls), cells_.Five(row.cpu, row.calls),
              cells_.Five(row.gpu, row.calls)});
  }
  TextTable table(out_, rows.widths());
  Head(table, "Model Summary",
       {"Name", "Calls", std::string(kCpuFive), std::string(kGpuFive)});
  rows.Print(table);
  table.Separator();
  table.Line(kModelNote);
  if (std::any_of(summary_.model.begin(), summary_.model.end(),
                  [](const ModelRow& row) { return row.inferred; })) {
    table.Line("* concluded from other events, not recorded.\n");
  }
  table.Rule();
  table.End();
}

void TextRenderer::DistributionTable() {
  const Distribution& distribution = summary_.distribution;
  if (!distribution.any()) return;
  TextTable table(out_, {25, 25, 25});
  Head(table, "Distribution Summary", {"Name", "Total Time", "Ratio (%)"});
  const auto add = [&](std::string name, int64_t ns) {
    table.Row({std::move(name), cells_.Time(ns),
               Cells::Percent(Ratio(ns, summary_.total_ns))});
  };
  add("ProfileStep", summary_.total_ns);
  add("  Communication", distribution.communication_ns);
  add("  Computation", distribution.computation_ns);
  add("  Overlap", distribution.overlap_ns);
  table.Separator();
  table.Line(kDistributionNote);
  table.Rule();
  table.End();
}

void TextRenderer::AddOperator(SizedRows& rows, const OperatorRow& row) const {
  AddLine(rows,
          {DisplayName(row.name), std::to_string(row.calls),
           row.no_launch ? Cells::NoTimes() : cells_.Five(row.cpu, row.calls),
           cells_.Five(row.gpu, row.calls), FlopsOf(row)});
  for (const OperatorInnerRow& inner : row.inner) {
    AddLine(rows,
            {"  " + DisplayName(inner.name, 50), std::to_string(inner.calls),
             cells_.Five(inner.cpu, inner.calls),
             cells_.Five(inner.gpu, inner.calls), "-"});
    AddDevices(rows, inner.device, 4, 48);
  }
  AddDevices(rows, row.device, 2, 50);
}

void TextRenderer::Operator() {
  if (summary_.operators.empty()) return;
  SizedRows rows(52, 2);
  if (flops_) rows.AddColumn(kFlopsWidth);
  for (const OperatorGroup& group : summary_.operators) {
    rows.AddTitle(group.unknown_thread ? "Thread: unknown"
                                       : ThreadTitle(group.thread_id));
    for (const OperatorRow& row : group.rows) AddOperator(rows, row);
  }
  TextTable table(out_, rows.widths());
  std::vector<std::string> heads;
  for (const std::string_view head :
       {std::string_view("Name"), std::string_view("Calls"), kCpuFive,
        kGpuFive, std::string_view("FLOPs")}) {
    if (flops_ || head != "FLOPs") heads.emplace_back(head);
  }
  Head(table, "Operator Summary", heads);
  rows.Print(table);
  table.Separator();
  table.End();
}

void TextRenderer::Kernel() {
  if (summary_.kernel.empty()) return;
  SizedRows rows(90, 1);
  for (const NamedRow& row : summary_.kernel) {
    rows.Add({DisplayName(WithoutArguments(row.name), 90),
              std::to_string(row.calls), cells_.Five(row.gpu, row.calls)});
  }
  TextTable table(out_, rows.widths());
  Head(table, "Kernel Summary", {"Name", "Calls", std::string(kGpuFive)});
  rows.Print(table);
  table.Separator();
  table.End();
}

void TextRenderer::MemoryManipulation() {
  if (summary_.memory_manipulation.empty()) return;
  SizedRows rows(0, 2);
  for (const NamedRow& row : summary_.memory_manipulation) AddNamed(rows, row);
  rows.WidenName();
  TextTable table(out_, rows.widths());
  Head(table, "Memory Manipulation Summary",
       {"Name", "Calls", std::string(kCpuFive), std::string(kGpuFive)});
  rows.Print(table);
  table.Separator();
  table.End();
}

void TextRenderer::UserDefinedTable() {
  if (summary_.user_defined.empty()) return;
  SizedRows rows(0, 2);
  for (const ThreadRows& group : summary_.user_defined) {
    rows.AddTitle(ThreadTitle(group.thread_id));
    for (const NamedRow& row : group.rows) AddNamed(rows, row);
  }
  rows.WidenName();
  TextTable table(out_, rows.widths());
  Head(table, "UserDefined Summary",
       {"Name", "Calls", std::string(kCpuFive), std::string(kGpuFive)});
  rows.Print(table);
  table.End();
}

void TextRenderer::Memory() {
  for (const MemoryPlace& place : summary_.memory) {
    TextTable table(out_, {50, 12, 15, 15, 15, 15, 15});
    table.Title("Memory Summary - " + DisplayName(place.place));
    table.Line("Peak Allocated Memory: " +
               std::to_string(place.peak_allocated_bytes));
    table.Line("Peak Reserved Memory: " +
               std::to_string(place.peak_reserved_bytes));
    table.Separator();
    table.Row({"Name", "Type", "Allocation Count", "Free Count",
               "Allocation Size", "Free Size", "Increased Size"});
    table.Separator();
    for (const MemoryRow& row : place.rows) {
      table.Row({DisplayName(row.name), row.reserved ? "Reserved" : "Allocated",
                 std::to_string(row.allocations), std::to_string(row.frees),
                 std::to_string(row.allocated_bytes),
                 std::to_string(row.freed_bytes),
                 std::to_string(row.increase_bytes())});
    }
    table.End();
  }
}

void TextRenderer::StepTables(const TableOptions& options) {
  for (const Grid& grid : StepGrids(summary_, options)) {
    PrintGrid(grid, options.unit, out_);
  }
  if (options.chosen_views() & kAdviceView) {
    out_ += RenderAdviceText(summary_) + "\n\n";
  }
}

void TextRenderer::Notes() {
  if (summary_.notes.empty()) return;
  out_ += "About this summary:\n";
  for (const std::string& note : summary_.notes) out_ += "* " + note + "\n";
}

}  // namespace

std::string RenderText(const Summary& summary, const TableOptions& options) {
  TextRenderer text(summary, options);
  const uint32_t views = options.chosen_views();
  if (views & kDeviceView) text.Device();
  if (views & kOverView) text.OverviewTable();
  if (views & kModelView) text.Model();
  if (views & kDistributedView) text.DistributionTable();
  if (views & kOperatorView) text.Operator();
  if (views & kKernelView) text.Kernel();
  text.MemoryManipulation();
  text.UserDefinedTable();
  if (views & kMemoryView) text.Memory();
  text.StepTables(options);
  text.Notes();
  return text.Take();
}

}  // namespace stepscope
