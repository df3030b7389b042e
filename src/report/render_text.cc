// SPDX-License-Identifier: Apache-2.0
#include "report/render_text.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "analysis/name_class.h"
#include "analysis/tables/all_tables.h"
#include "base/visible_text.h"
#include "report/cells.h"
#include "report/grid.h"
#include "report/render_advice.h"
#include "report/table_grid.h"
#include "report/text_notes.h"
#include "report/text_table.h"

namespace stepscope {
namespace {

constexpr std::string_view kCpuFive = "CPU Total / Avg / Max / Min / Ratio(%)";
constexpr std::string_view kGpuFive = "GPU Total / Avg / Max / Min / Ratio(%)";
constexpr size_t kFiveWidth = 40;
constexpr size_t kCallsWidth = 6;
constexpr size_t kFlopsWidth = 10;
constexpr size_t kMemoryNameWidth = 50;
constexpr size_t kShortestName = 20;  // what a narrow terminal leaves of one

// A table whose columns are as wide as what is in them: rows first, then out.
class SizedRows {
 public:
  explicit SizedRows(std::vector<size_t> widths) : widths_(std::move(widths)) {}
  // Columns after the name: calls, then `fives` columns of five values.
  SizedRows(size_t name_width, size_t fives)
      : SizedRows(std::vector<size_t>{name_width, kCallsWidth}) {
    widths_.insert(widths_.end(), fives, kFiveWidth);
  }
  void AddColumn(size_t width) { widths_.push_back(width); }
  void Add(std::vector<std::string> cells) {
    for (size_t i = 1; i < cells.size(); ++i)
      widths_[i] = std::max(widths_[i], cells[i].size());
    rows_.push_back(std::move(cells));
  }
  void AddTitle(std::string title) { rows_.push_back({std::move(title)}); }
  void Widen(const std::vector<std::string>& heads) {
    for (size_t i = 0; i < heads.size(); ++i)
      widths_[i] = std::max(widths_[i], heads[i].size());
  }
  void WidenName() {
    for (const auto& row : rows_)
      if (row.size() > 1)
        widths_[0] = std::max(widths_[0], DisplayWidth(row[0]));
  }
  const std::vector<size_t>& widths() const { return widths_; }
  void Print(const std::vector<size_t>& columns, TextTable& table) const {
    for (const auto& row : rows_)
      if (row.size() == 1)
        table.Title(row[0]);
      else
        table.Row(Picked(row, columns));
  }

 private:
  std::vector<size_t> widths_;
  std::vector<std::vector<std::string>> rows_;
};

class TextRenderer {
 public:
  TextRenderer(const Summary& summary, const TableOptions& options)
      : summary_(summary),
        options_(options),
        style_(options.style),
        most_(options.layout == TextLayout::kTables ? style_.width : 0),
        thread_sep_(options.thread_sep),
        flops_(options.flops) {
    for (const FlopsRow& row : summary.flops.rows)
      if (flops_) flops_of_[row.id.v] = row.flops;
  }

  void Device();
  void OverviewTable();
  void Model();
  void DistributionTable();
  void Operator();
  void Kernel();
  void MemoryManipulation();
  void UserDefinedTable();
  std::string OfProcess(const MemoryPlace& place) const;
  void Memory();
  void StepTables();
  void Notes();
  // Prints a table in the unit that was asked for, or that suits it.
  void Show(void (TextRenderer::*table)()) {
    out_ += InSuitableUnit(options_.unit, [&](const Cells& cells) {
      cells_ = &cells;
      cut_ = 0;
      std::string text = TextOf(table);
      if (too_wide_ == 0) return text;
      cut_ = std::exchange(too_wide_, 0);
      text = TextOf(table);
      too_wide_ = 0;
      return text;
    });
  }
  std::string Take() { return std::move(out_); }

 private:
  std::string TextOf(void (TextRenderer::*table)()) {
    const size_t before = out_.size();
    (this->*table)();
    std::string text = out_.substr(before);
    out_.resize(before);
    return text;
  }
  std::string DisplayName(std::string_view name,
                          size_t limit = kLongestTextName) const {
    return ShownName(name.empty() ? kEmptyName : name, limit, style_);
  }
  // What a terminal's width leaves of a name beside calls and so many columns
  // of five.
  size_t NameLimit(size_t most, size_t fives) const {
    if (style_.width == 0) return most;
    if (most_ > 0) fives = 1;  // a part has one
    const size_t others = kCallsWidth + 4 + fives * (kFiveWidth + 2) + cut_;
    const size_t left = style_.width > others ? style_.width - others : 0;
    return std::clamp(left, std::min(kShortestName, most), most);
  }
  // Where rows may be left out: how many are shown.
  size_t Shown(size_t rows) const {
    return style_.top == 0 ? rows : std::min(rows, style_.top);
  }
  void More(TextTable& table, size_t left_out) const {
    if (left_out > 0) table.Line(MoreRows(left_out, style_));
  }
  // Columns as wide as the reference has them or, on a terminal, as needed.
  SizedRows NewRows(size_t name_width, size_t fives) const {
    return SizedRows(style_.width == 0 ? name_width : 0, fives);
  }
  // A column of `usual` that leaves room for `others` more and the name.
  size_t Even(size_t usual, size_t others) const {
    if (most_ == 0) return usual;
    const size_t gaps = 2 * (others + 1);
    const size_t room = most_ > usual + gaps ? most_ - usual - gaps : 0;
    return std::min(usual, room / others);
  }
  std::string UnitLine() const {
    return "Time unit: " + std::string(TimeUnitName(cells_->unit()));
  }
  void Head(TextTable& table, std::string_view title,
            const std::vector<std::string>& heads) {
    Head(table, title, {UnitLine()}, heads);
  }
  static void Head(TextTable& table, std::string_view title,
                   const std::vector<std::string>& lines,
                   const std::vector<std::string>& heads) {
    table.Title(title);
    for (const std::string& line : lines) table.Line(line);
    table.Separator();
    table.Row(heads);
    table.Separator();
  }
  // Head and rows, in parts where they are wider than a line; the table is that
  // of the last one, which is still open.
  TextTable Print(const std::string& title,
                  const std::vector<std::string>& lines,
                  const std::vector<std::string>& heads, SizedRows& rows) {
    if (most_ > 0) rows.Widen(heads);
    const auto parts = PartsOf(rows.widths(), {0}, most_);
    for (size_t i = 0;; ++i) {
      const std::vector<size_t> widths = Picked(rows.widths(), parts[i]);
      if (const size_t width = WidthOfLine(widths); most_ > 0 && width > most_)
        too_wide_ = std::max(too_wide_, width - most_);
      TextTable table(out_, widths);
      Head(table, title + (i == 0 ? "" : " (continued)"), lines,
           Picked(heads, parts[i]));
      rows.Print(parts[i], table);
      if (i + 1 == parts.size()) return table;
      table.Separator();
      table.End();
    }
  }
  TextTable Print(const std::string& title,
                  const std::vector<std::string>& heads, SizedRows& rows) {
    return Print(title, {UnitLine()}, heads, rows);
  }
  void AddDevices(SizedRows& rows, const std::vector<OperatorDeviceRow>& list,
                  size_t indent, size_t limit) const {
    for (const OperatorDeviceRow& device : list) {
      AddLine(rows, {std::string(indent, ' ') + DisplayName(device.name, limit),
                     std::to_string(device.calls), Cells::NoTimes(),
                     cells_->Five(device.gpu, device.calls), "-"});
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
    rows.Add({DisplayName(row.name, NameLimit(kLongestTextName, 2)),
              std::to_string(row.calls), cells_->Five(row.cpu, row.calls),
              cells_->Five(row.gpu, row.calls)});
  }
  // What stands below the Distribution table, but for Paddle's own files, whose
  // tables are Paddle's.
  std::string DeviceDistribution() const {
    const Distribution& of = summary_.distribution;
    const std::string_view format =
        summary_.trace != nullptr ? summary_.trace->format() : "";
    if (of.gpu.all_ns == 0 || format.empty() ||
        format.find("paddle") != format.npos)
      return {};
    return "On the device alone: kernels communicate for " +
           cells_->Time(of.gpu.all_ns) + ", and for " +
           cells_->Time(of.gpu_overlap_ns) + " of it (" +
           Cells::Percent(Ratio(of.gpu_overlap_ns, of.gpu.all_ns)) +
           "%) others compute.\n";
  }
  std::string ThreadTitle(const auto& group) const {
    if (!thread_sep_) return "Thread: All threads merged";
    const std::string id = std::to_string(group.thread_id);
    const std::string name = VisibleText(group.thread_name);
    // Tools call a thread "thread 7 (python)", which says no more.
    const bool has_own = !name.empty() && name.find(id) == std::string::npos;
    return "Thread: " + id + (has_own ? " (" + name + ")" : "");
  }

  const Summary& summary_;
  const TableOptions& options_;
  const TextStyle& style_;
  const size_t most_;             // columns of a line; 0: any
  size_t too_wide_ = 0;           // by so much a part was wider
  size_t cut_ = 0;                // for which names are shorter
  const Cells* cells_ = nullptr;  // of the table that is being printed
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
  table.Line(Wrapped(kDeviceNote, style_.width));
  table.Rule();
  table.End();
}

void TextRenderer::OverviewTable() {
  const size_t width = Even(25, 3);
  TextTable table(out_, {25, width, width, width});
  Head(table, "Overview Summary",
       {"Event Type", "Calls", "CPU Time", "Ratio (%)"});
  const auto add = [&](const OverviewRow& row, std::string_view indent) {
    table.Row({std::string(indent) + row.type, std::to_string(row.calls),
               cells_->Time(row.time_ns), Cells::Percent(row.ratio)});
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
  table.Line(Wrapped(kOverviewNote, style_.width));
  table.Rule();
  table.End();
}

void TextRenderer::Model() {
  if (!ShowsModel(summary_.model)) return;
  const bool any_inferred =
      std::any_of(summary_.model.begin(), summary_.model.end(),
                  [](const ModelRow& row) { return row.inferred; });
  SizedRows rows = NewRows(any_inferred ? 17 : 15, 2);  // room for the star
  for (const ModelRow& row : summary_.model) {
    const bool step = &row == &summary_.model.front() && summary_.has_steps;
    std::string name = (step ? "" : "  ") + std::string(row.name);
    if (row.name == kOthersName) {
      rows.Add(
          {name, "-", cells_->TotalOnly(row.cpu), cells_->TotalOnly(row.gpu)});
      continue;
    }
    if (row.inferred) name += " *";
    rows.Add({name, std::to_string(row.calls), cells_->Five(row.cpu, row.calls),
              cells_->Five(row.gpu, row.calls)});
  }
  if (style_.width != 0) rows.WidenName();
  TextTable table = Print(
      "Model Summary",
      {"Name", "Calls", std::string(kCpuFive), std::string(kGpuFive)}, rows);
  table.Separator();
  table.Line(Wrapped(kModelNote, style_.width));
  if (any_inferred)
    table.Line("* concluded from other events, not recorded.\n");
  table.Rule();
  table.End();
}

void TextRenderer::DistributionTable() {
  const Distribution& distribution = summary_.distribution;
  if (!distribution.any()) return;
  const size_t width = Even(25, 2);
  TextTable table(out_, {25, width, width});
  Head(table, "Distribution Summary", {"Name", "Total Time", "Ratio (%)"});
  const auto add = [&](std::string name, int64_t ns, int64_t in_steps_ns) {
    table.Row({std::move(name), cells_->Time(ns),
               Cells::Percent(Ratio(in_steps_ns, summary_.total_ns))});
  };
  const Distribution::InSteps& in_steps = distribution.in_steps;
  add("ProfileStep", summary_.total_ns, summary_.total_ns);
  add("  Communication", distribution.communication_ns,
      in_steps.communication_ns);
  add("  Computation", distribution.computation_ns, in_steps.computation_ns);
  add("  Overlap", distribution.overlap_ns, in_steps.overlap_ns);
  table.Separator();
  table.Line(Wrapped(kDistributionNote, style_.width));
  const std::string device = DeviceDistribution();
  if (!device.empty()) table.Line(Wrapped(device, style_.width));
  table.Rule();
  table.End();
}

void TextRenderer::AddOperator(SizedRows& rows, const OperatorRow& row) const {
  AddLine(rows,
          {DisplayName(row.name, NameLimit(kLongestTextName, 2)),
           std::to_string(row.calls),
           row.no_launch ? Cells::NoTimes() : cells_->Five(row.cpu, row.calls),
           cells_->Five(row.gpu, row.calls), FlopsOf(row)});
  for (const OperatorInnerRow& inner : row.inner) {
    AddLine(rows,
            {"  " + DisplayName(inner.name, NameLimit(50, 2)),
             std::to_string(inner.calls), cells_->Five(inner.cpu, inner.calls),
             cells_->Five(inner.gpu, inner.calls), "-"});
    AddDevices(rows, inner.device, 4, NameLimit(48, 2));
  }
  AddDevices(rows, row.device, 2, NameLimit(50, 2));
}

void TextRenderer::Operator() {
  if (summary_.operators.empty()) return;
  SizedRows rows = NewRows(52, 2);
  if (flops_) rows.AddColumn(kFlopsWidth);
  size_t left_out = 0;
  for (const OperatorGroup& group : summary_.operators) {
    rows.AddTitle(group.unknown_thread ? "Thread: unknown"
                                       : ThreadTitle(group));
    const size_t shown = Shown(group.rows.size());
    for (size_t i = 0; i < shown; ++i) AddOperator(rows, group.rows[i]);
    left_out += group.rows.size() - shown;
  }
  if (style_.width != 0) rows.WidenName();
  std::vector<std::string> heads;
  for (const std::string_view head :
       {std::string_view("Name"), std::string_view("Calls"), kCpuFive, kGpuFive,
        std::string_view("FLOPs")})
    if (flops_ || head != "FLOPs") heads.emplace_back(head);
  TextTable table = Print("Operator Summary", heads, rows);
  table.Separator();
  More(table, left_out);
  table.End();
}

void TextRenderer::Kernel() {
  if (summary_.kernel.empty()) return;
  SizedRows rows = NewRows(90, 1);
  const size_t shown = Shown(summary_.kernel.size());
  for (size_t i = 0; i < shown; ++i) {
    const NamedRow& row = summary_.kernel[i];
    rows.Add({DisplayName(WithoutArguments(row.name), NameLimit(90, 1)),
              std::to_string(row.calls), cells_->Five(row.gpu, row.calls)});
  }
  if (style_.width != 0) rows.WidenName();
  TextTable table =
      Print("Kernel Summary", {"Name", "Calls", std::string(kGpuFive)}, rows);
  table.Separator();
  More(table, summary_.kernel.size() - shown);
  table.End();
}

void TextRenderer::MemoryManipulation() {
  if (summary_.memory_manipulation.empty()) return;
  SizedRows rows(0, 2);
  for (const NamedRow& row : summary_.memory_manipulation) AddNamed(rows, row);
  rows.WidenName();
  TextTable table = Print(
      "Memory Manipulation Summary",
      {"Name", "Calls", std::string(kCpuFive), std::string(kGpuFive)}, rows);
  table.Separator();
  table.End();
}

void TextRenderer::UserDefinedTable() {
  if (summary_.user_defined.empty()) return;
  SizedRows rows(0, 2);
  size_t left_out = 0;
  for (const ThreadRows& group : summary_.user_defined) {
    rows.AddTitle(ThreadTitle(group));
    const size_t shown = Shown(group.rows.size());
    for (size_t i = 0; i < shown; ++i) AddNamed(rows, group.rows[i]);
    left_out += group.rows.size() - shown;
  }
  rows.WidenName();
  TextTable table = Print(
      "UserDefined Summary",
      {"Name", "Calls", std::string(kCpuFive), std::string(kGpuFive)}, rows);
  More(table, left_out);
  table.End();
}

// ", rank 1": several have such a place.
std::string TextRenderer::OfProcess(const MemoryPlace& place) const {
  return place.process_name.empty() ? ""
                                    : ", " + DisplayName(place.process_name);
}

void TextRenderer::Memory() {
  for (const MemoryPlace& place : summary_.memory) {
    // As Paddle has it: what its allocator stated, where it did.
    const auto peak = [](std::string_view what, std::optional<int64_t> stated,
                         int64_t recorded) {
      std::string line = "Peak " + std::string(what) + " Memory: ";
      line += std::to_string(stated.value_or(recorded));
      if (stated.has_value() && *stated != recorded)
        line += " (" + std::to_string(recorded) + " while recording)";
      return line;
    };
    SizedRows rows({most_ > 0 ? 0 : kMemoryNameWidth, 12, 15, 15, 15, 15, 15});
    for (const MemoryRow& row : place.rows) {
      rows.Add({DisplayName(row.name, most_ > 0 ? LongestNameIn(most_)
                                                : kLongestTextName),
                row.reserved ? "Reserved" : "Allocated",
                std::to_string(row.allocations), std::to_string(row.frees),
                std::to_string(row.allocated_bytes),
                std::to_string(row.freed_bytes),
                std::to_string(row.increase_bytes())});
    }
    if (most_ > 0) rows.WidenName();
    Print("Memory Summary - " + DisplayName(place.place) + OfProcess(place),
          {peak("Allocated", place.stated_peak_allocated_bytes,
                place.peak_allocated_bytes),
           peak("Reserved", place.stated_peak_reserved_bytes,
                place.peak_reserved_bytes)},
          {"Name", "Type", "Allocation Count", "Free Count", "Allocation Size",
           "Free Size", "Increased Size"},
          rows)
        .End();
  }
}

// Of all other tables: those that have a grid of their own, the rest, advice.
void TextRenderer::StepTables() {
  for (const Grid& grid : StepGrids(summary_, options_))
    PrintGrid(grid, out_, style_.width);
  constexpr ViewSet kDone = kPaddleViews | kGridViews | kAdviceView;
  for (const TableSchema& table : AllTables()) {
    if (!(options_.chosen_views() & table.view & ~kDone)) continue;
    if (table.rows(summary_).size() == 0) continue;
    out_ += RenderTableText(table, summary_, options_);
  }
  if (options_.chosen_views() & kAdviceView)
    out_ += Wrapped(RenderAdviceText(summary_), style_.width) + "\n\n";
}

void TextRenderer::Notes() {
  if (summary_.notes.empty()) return;
  out_ += "About this summary:\n";
  for (const std::string& note : summary_.notes)
    out_ += Wrapped("* " + note, style_.width) + "\n";
}

}  // namespace

std::string RenderTableText(const TableSchema& table, const Summary& summary,
                            const TableOptions& options) {
  const std::vector<Grid> grids =
      InSuitableUnit(options.unit, [&](const Cells& cells) {
        return TableGrids(table, summary, options, cells);
      });
  std::string out;
  for (const Grid& grid : grids) PrintGrid(grid, out, options.style.width);
  return out;
}

std::string RenderText(const Summary& summary, const TableOptions& options) {
  TextRenderer text(summary, options);
  const std::pair<ViewSet, void (TextRenderer::*)()> tables[] = {
      {kDeviceView, &TextRenderer::Device},
      {kOverView, &TextRenderer::OverviewTable},
      {kModelView, &TextRenderer::Model},
      {kDistributedView, &TextRenderer::DistributionTable},
      {kOperatorView, &TextRenderer::Operator},
      {kKernelView, &TextRenderer::Kernel},
      {kMemoryManipulationView, &TextRenderer::MemoryManipulation},
      {kUserDefinedView, &TextRenderer::UserDefinedTable},
      {kMemoryView, &TextRenderer::Memory}};
  for (const auto& [view, table] : tables)
    if (options.chosen_views() & view) text.Show(table);
  text.StepTables();
  text.Notes();
  return text.Take();
}

}  // namespace stepscope
