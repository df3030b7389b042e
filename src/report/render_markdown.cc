// SPDX-License-Identifier: Apache-2.0
#include "report/render_markdown.h"

#include "base/markdown.h"
#include "report/cells.h"
#include "report/grid.h"
#include "report/render_advice.h"

namespace stepscope {
namespace {

class MarkdownRenderer {
 public:
  MarkdownRenderer(const Summary& summary, const TableOptions& options)
      : summary_(summary),
        options_(options),
        cells_(options.unit),
        unit_(" (" + std::string(TimeUnitName(options.unit)) + ")") {}

  std::string Render() {
    if (options_.chosen_views() & kDeviceView) Device();
    if (options_.chosen_views() & kOverView) OverviewTables();
    if (ShowsModel(summary_.model)) Model();
    if (summary_.distribution.any() &&
        (options_.chosen_views() & kDistributedView)) {
      DistributionTable();
    }
    const uint32_t views = options_.chosen_views();
    if (views & kOperatorView) Operators();
    if (!summary_.kernel.empty() && (views & kKernelView)) {
      MarkdownTable table(out_, "Kernel", Heads({"GPU"}));
      for (const NamedRow& row : summary_.kernel) {
        table.Row(Line(row.name, row.calls, nullptr, &row.gpu));
      }
    }
    Named("Memory Manipulation", summary_.memory_manipulation);
    for (const ThreadRows& group : summary_.user_defined) {
      Named("UserDefined" + ThreadSuffix(group.thread_id), group.rows);
    }
    if (views & kMemoryView) Memory();
    StepTables();
    if (!summary_.notes.empty()) {
      out_ += "\n## About this summary\n\n";
      for (const std::string& note : summary_.notes) {
        out_ += "* " + note + "\n";
      }
    }
    return std::move(out_);
  }

 private:
  std::vector<std::string> Heads(
      const std::vector<std::string>& sides) const {
    std::vector<std::string> heads = {"Name", "Calls"};
    for (const std::string& side : sides) {
      for (const char* what : {" total", " avg", " max", " min"}) {
        heads.push_back(side + what + unit_);
      }
      heads.push_back(side + " %");
    }
    return heads;
  }
  // `cpu` may be null: a table without that side.
  std::vector<std::string> Line(std::string_view name, uint64_t calls,
                                const TimeColumn* cpu,
                                const TimeColumn* gpu) const {
    std::vector<std::string> cells = {
        EscapeMarkdown(name), calls == 0 ? "-" : std::to_string(calls)};
    for (const TimeColumn* time : {cpu, gpu}) {
      if (time == nullptr) continue;
      cells.push_back(cells_.Time(time->total_ns));
      if (calls == 0) {
        cells.insert(cells.end(), 3, "-");
      } else {
        cells.push_back(cells_.Time(time->total_ns, calls));
        cells.push_back(cells_.Time(time->max_ns));
        cells.push_back(cells_.Time(time->min_ns));
      }
      cells.push_back(Cells::Percent(time->ratio));
    }
    return cells;
  }
  std::string ThreadSuffix(int64_t id) const {
    return options_.thread_sep ? ", thread " + std::to_string(id) : "";
  }

  void Device() {
    MarkdownTable table(out_, "Device", {"Device", "Utilization %"});
    for (const DeviceRow& row : summary_.device) {
      table.Row({EscapeMarkdown(row.name), row.utilization
                                        ? Cells::Percent(*row.utilization)
                                        : std::string("-")});
    }
  }
  void OverviewTables() {
    MarkdownTable table(out_, "Overview",
                        {"Event type", "Side", "Calls", "Time" + unit_, "%"});
    const auto add = [&](const OverviewRow& row, const char* side) {
      table.Row({EscapeMarkdown(row.type), side, std::to_string(row.calls),
                 cells_.Time(row.time_ns), Cells::Percent(row.ratio)});
    };
    for (const OverviewRow& row : summary_.overview.cpu) add(row, "CPU");
    for (const OverviewRow& row : summary_.overview.gpu) add(row, "GPU");
  }
  void Model() {
    MarkdownTable table(out_, "Model", Heads({"CPU", "GPU"}));
    for (const ModelRow& row : summary_.model) {
      table.Row(Line(row.name, row.calls, &row.cpu, &row.gpu));
    }
  }
  void DistributionTable() {
    MarkdownTable table(out_, "Distribution", {"Name", "Time" + unit_, "%"});
    const auto add = [&](std::string name, int64_t ns) {
      table.Row({std::move(name), cells_.Time(ns),
                 Cells::Percent(Ratio(ns, summary_.total_ns))});
    };
    add("ProfileStep", summary_.total_ns);
    add("Communication", summary_.distribution.communication_ns);
    add("Computation", summary_.distribution.computation_ns);
    add("Overlap", summary_.distribution.overlap_ns);
  }
  void Operators() {
    for (const OperatorGroup& group : summary_.operators) {
      const std::string thread = group.unknown_thread
                                     ? ", thread unknown"
                                     : ThreadSuffix(group.thread_id);
      MarkdownTable table(out_, "Operator" + thread, Heads({"CPU", "GPU"}));
      for (const OperatorRow& row : group.rows) {
        table.Row(Line(row.name, row.calls, &row.cpu, &row.gpu));
      }
    }
  }
  void Named(std::string_view title, const std::vector<NamedRow>& rows) {
    if (rows.empty()) return;
    MarkdownTable table(out_, title, Heads({"CPU", "GPU"}));
    for (const NamedRow& row : rows) {
      table.Row(Line(row.name, row.calls, &row.cpu, &row.gpu));
    }
  }
  void StepTables() {
    for (const Grid& grid : StepGrids(summary_, options_)) {
      out_ += "\n## " + EscapeMarkdown(grid.title) +
              (grid.has_times ? unit_ : "") + "\n\n";
      PrintMarkdown(grid, out_);
    }
    if (options_.chosen_views() & kAdviceView) {
      out_ += "\n## Advice\n\n```\n" + RenderAdviceText(summary_) + "```\n";
    }
  }
  void Memory() {
    for (const MemoryPlace& place : summary_.memory) {
      MarkdownTable table(out_, "Memory, " + EscapeMarkdown(place.place),
                          {"Name", "Type", "Allocations", "Frees",
                           "Allocated bytes", "Freed bytes", "Increase"});
      for (const MemoryRow& row : place.rows) {
        table.Row({EscapeMarkdown(row.name),
                   row.reserved ? "Reserved" : "Allocated",
                   std::to_string(row.allocations), std::to_string(row.frees),
                   std::to_string(row.allocated_bytes),
                   std::to_string(row.freed_bytes),
                   std::to_string(row.increase_bytes())});
      }
      out_ += "\nPeak allocated " +
              std::to_string(place.peak_allocated_bytes) +
              " bytes, peak reserved " +
              std::to_string(place.peak_reserved_bytes) + " bytes.\n";
    }
  }

  const Summary& summary_;
  const TableOptions& options_;
  const Cells cells_;
  const std::string unit_;
  std::string out_;
};

}  // namespace

std::string RenderMarkdown(const Summary& summary,
                           const TableOptions& options) {
  return MarkdownRenderer(summary, options).Render();
}

}  // namespace stepscope
