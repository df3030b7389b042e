// SPDX-License-Identifier: Apache-2.0
#include "report/grid.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "analysis/looks.h"
#include "analysis/name_class.h"
#include "base/markdown.h"
#include "base/text.h"
#include "base/visible_text.h"
#include "report/cells.h"
#include "report/text_table.h"

namespace stepscope {
namespace {

constexpr size_t kBarLength = 40;

class SummaryGridMaker {
 public:
  SummaryGridMaker(const Summary& summary, const TextStyle& style,
                   const Cells& cells)
      : summary_(summary), style_(style), cells_(cells) {}

  Grid Percentiles() const {
    Grid grid;
    grid.title = "Percentile Summary";
    // A column of nothing says nothing.
    const bool device =
        !summary_.idle.devices.empty() || !summary_.kernel.empty();
    grid.heads = {"Name", "Calls", "CPU p50 / p90 / p95 / p99"};
    if (device) grid.heads.push_back("GPU p50 / p90 / p95 / p99");
    const auto add = [&](std::string name, uint64_t calls, const Spread& cpu,
                         const Spread& gpu) {
      grid.rows.push_back({std::move(name), std::to_string(calls), Four(cpu)});
      if (device) grid.rows.back().push_back(Four(gpu));
    };
    for (const ThreadRows& group : summary_.user_defined)
      for (const RangeRow& row : group.rows)
        add(Shown(row.name), row.calls, row.cpu_spread, row.gpu_spread);
    for (const OperatorGroup& group : summary_.operators)
      for (const OperatorRow& row : group.rows)
        add(Shown(row.name), row.calls, row.cpu_spread, row.gpu_spread);
    for (const KernelRow& row : summary_.kernel)
      add("  " + Shown(WithoutArguments(row.name)), row.calls, {}, row.spread);
    grid.notes = {
        "Durations of single calls, nearest rank: half of the calls took p50 "
        "or less. Your own ranges, operators, then kernels."};
    Cut(grid);
    return grid;
  }

  Grid WaterfallGrid() const {
    const Waterfall& waterfall = summary_.waterfall;
    Grid grid;
    grid.title = "Waterfall Summary";
    grid.heads = {"Part", "Time", "Per Step", "Ratio (%)", "Where a step goes"};
    size_t begin = 0;
    int64_t sum = 0;
    for (size_t i = 0; i < kStepParts; ++i) {
      const int64_t ns = waterfall.part_ns[i];
      sum = SaturatingAdd(sum, ns);
      const auto end =
          static_cast<size_t>(Ratio(sum, waterfall.step_ns) * kBarLength + 0.5);
      grid.rows.push_back(
          {std::string(TitleOf(static_cast<StepPart>(i))), cells_.Time(ns),
           cells_.Time(ns, waterfall.steps.size()),
           Cells::Percent(Ratio(ns, waterfall.step_ns)),
           std::string(begin, ' ') + std::string(end - begin, '#')});
      begin = end;
    }
    grid.rows.push_back({"step", cells_.Time(waterfall.step_ns),
                         cells_.Time(waterfall.step_ns, waterfall.steps.size()),
                         Cells::Percent(waterfall.step_ns > 0 ? 1 : 0), ""});
    grid.notes = {
        "Each part is what the parts above leave of it; they add up "
        "to the steps exactly."};
    for (size_t i = 0; i < kStepParts; ++i) {
      const auto part = static_cast<StepPart>(i);
      grid.notes.push_back(std::string(TitleOf(part)) + ": " +
                           std::string(LookOf(part).formula) + ".");
    }
    grid.notes.push_back(Format(
        "Made from %llu host events, %llu device events (%llu with a "
        "launch), %zu %s; %s %% of the time is explained.",
        static_cast<unsigned long long>(waterfall.host_events),
        static_cast<unsigned long long>(waterfall.device_events),
        static_cast<unsigned long long>(waterfall.device_events_launched),
        waterfall.steps.size(),
        summary_.has_steps ? "steps" : "recorded window(s)",
        Cells::Percent(waterfall.coverage()).c_str()));
    if (waterfall.before_events_ns > 0) {
      grid.notes.push_back(
          "Before the first event: " + cells_.Time(waterfall.before_events_ns) +
          " of what is unexplained (starting the program, imports).");
    }
    if (waterfall.other_threads_steps > 0) {
      grid.notes.push_back(std::to_string(waterfall.other_threads_steps) +
                           " steps of other threads are not in it.");
    }
    return grid;
  }

  Grid IdleGrid(const IdleDevice& device) const {
    Grid grid;
    grid.title = "Idle Summary - " + VisibleText(device.name);
    if (summary_.trace->processes().size() > 1) {
      grid.title +=
          " of pid " +
          std::to_string(summary_.trace->processes()[device.process].pid);
    }
    grid.heads = {"Cause", "Time", "Ratio (%)", "Gaps", "Longest"};
    const auto add = [&](std::string_view name, int64_t ns, uint64_t gaps,
                         int64_t longest) {
      grid.rows.push_back({std::string(name), cells_.Time(ns),
                           Cells::Percent(Ratio(ns, device.step_ns)),
                           std::to_string(gaps), cells_.Time(longest)});
    };
    uint64_t gaps = 0;
    int64_t longest = 0;
    for (const IdleRow& row : device.rows) {
      add(TitleOf(row.cause), row.time_ns, row.gaps, row.longest_ns);
      gaps += row.gaps;
      longest = std::max(longest, row.longest_ns);
    }
    add("idle", device.idle_ns, gaps, longest);
    grid.notes = {
        "What the device did not do, by what went on meanwhile; the "
        "first cause that applies takes the time. Ratios are of the "
        "steps."};
    return grid;
  }

  Grid Launch() const {
    const LaunchStats& launch = summary_.launch;
    Grid grid;
    grid.title = "Launch Summary";
    grid.heads = {"What", "Count", "Avg / p50 / p90 / p99 / Max"};
    const auto series = [&](std::string_view name, const LaunchSeries& s) {
      grid.rows.push_back({std::string(name), std::to_string(s.count),
                           cells_.Time(s.time.total_ns, s.count) + " / " +
                               Three(s.spread) + " / " +
                               cells_.Time(s.time.max_ns)});
    };
    const auto count = [&](std::string_view name, uint64_t value) {
      grid.rows.push_back({std::string(name), std::to_string(value), "-"});
    };
    series("launching calls", launch.call);
    series("queue delay", launch.queue_delay);
    count("kernels shorter than their launch", launch.short_kernels);
    count("launches into an empty stream", launch.launch_bound);
    count("device events", launch.device_events);
    count("device events without a launch", launch.without_launch);
    count("launches without a device event", launch.launches_without_work);
    count("device events before their launch", launch.early);
    grid.notes = {
        "Queue delay: end of the launching call to begin of the work.",
        "Launch-bound share: " + Cells::Percent(launch.launch_bound_ratio()) +
            " % of " + std::to_string(launch.followers) +
            " launches that were not the first of their stream found it "
            "empty."};
    return grid;
  }

  // A column that needs more than shapes; it stands where any row has it.
  template <typename Value>
  void AddIfKnown(const char* head, double scale, Value FlopsRow::*value,
                  Grid& grid) const {
    const std::vector<FlopsRow>& rows = summary_.flops.rows;
    const auto known = [&](const FlopsRow& row) {
      return std::invoke(value, row).has_value();
    };
    if (std::none_of(rows.begin(), rows.end(), known)) return;
    grid.heads.emplace_back(head);
    for (size_t i = 0; i < rows.size(); ++i) {
      const std::optional<double> of = std::invoke(value, rows[i]);
      grid.rows[i].push_back(of ? Format("%.1f", *of * scale) : "-");
    }
  }

  Grid Flops() const {
    Grid grid;
    grid.title = "FLOPs Summary";
    grid.heads = {"Name", "Calls",   "Counted", "GFLOPs",
                  "Time", "TFLOP/s", "On"};
    for (const FlopsRow& row : summary_.flops.rows) {
      grid.rows.push_back({Shown(row.name), std::to_string(row.calls),
                           std::to_string(row.counted_calls),
                           Format("%.3f", static_cast<double>(row.flops) / 1e9),
                           cells_.Time(row.time_ns()),
                           Format("%.2f", row.tflops_per_s()),
                           row.on_device() ? "device" : "host"});
    }
    AddIfKnown("FLOP/B", 1, &FlopsRow::intensity, grid);
    AddIfKnown("Measured", 1, &FlopsRow::measured_intensity, grid);
    AddIfKnown("Peak %", 100, &FlopsRow::peak_ratio, grid);
    AddIfKnown("Roof %", 100, &FlopsRow::roof_ratio, grid);
    grid.notes = {
        "From the shapes of the inputs, for matrix products, convolutions and "
        "attention; a multiplication and an addition are two.",
        Format("Outermost operators together: %.3f GFLOPs.",
               static_cast<double>(summary_.flops.total_flops) / 1e9)};
    Cut(grid);
    return grid;
  }

  Grid Outliers() const {
    Grid grid;
    grid.title = "Outlier Summary";
    grid.heads = {"Step", "Time", "Median", "Excess", "Mostly", "Of Excess"};
    for (const OutlierRow& row : summary_.outliers) {
      grid.rows.push_back(
          {std::to_string(row.index), cells_.Time(row.dur_ns),
           cells_.Time(row.median_ns), cells_.Time(row.excess_ns),
           std::string(TitleOf(row.cause)), cells_.Time(row.cause_excess_ns)});
    }
    grid.notes = {
        "Steps longer than the median by more than 3 x 1.4826 x the median "
        "deviation and by a tenth."};
    Cut(grid);
    return grid;
  }

  Grid MemoryLifeGrid(const MemoryPlace& place) const {
    Grid grid;
    grid.has_times = false;
    grid.title = "Memory at the Peak - " + Shown(place.place);
    if (!place.process_name.empty())
      grid.title += ", " + Shown(place.process_name);
    grid.heads = {"Name", "State", "Bytes", "Allocations", "Steps"};
    for (const LiveRow& row : place.life.live_at_peak) {
      grid.rows.push_back({Shown(row.name), "live", std::to_string(row.bytes),
                           std::to_string(row.allocations), "-"});
    }
    if (place.life.before_bytes > 0) {
      grid.rows.push_back({"(before the recording)", "live",
                           std::to_string(place.life.before_bytes), "-", "-"});
    }
    for (const LeakRow& row : place.life.leaks) {
      grid.rows.push_back({Shown(row.name), "grows", std::to_string(row.bytes),
                           std::to_string(row.allocations),
                           std::to_string(row.steps)});
    }
    grid.notes = {"live: allocated and not freed when most was in use.",
                  "grows: allocated in every step and never freed; the first "
                  "and the last step do not count."};
    Cut(grid);
    return grid;
  }

 private:
  std::string Four(const Spread& spread) const {
    if (spread.histogram.empty()) return "- / - / - / -";
    return cells_.Time(spread.p50_ns) + " / " + cells_.Time(spread.p90_ns) +
           " / " + cells_.Time(spread.p95_ns) + " / " +
           cells_.Time(spread.p99_ns);
  }
  std::string Three(const Spread& spread) const {
    if (spread.histogram.empty()) return "- / - / -";
    return cells_.Time(spread.p50_ns) + " / " + cells_.Time(spread.p90_ns) +
           " / " + cells_.Time(spread.p99_ns);
  }

  std::string Shown(std::string_view name) const {
    return ShownName(name.empty() ? kEmptyName : name,
                     LongestNameIn(style_.width), style_);
  }
  // Leaves out what is beyond the top rows, and says so.
  void Cut(Grid& grid) const {
    if (style_.top == 0 || grid.rows.size() <= style_.top) return;
    const size_t left_out = grid.rows.size() - style_.top;
    grid.rows.resize(style_.top);
    grid.notes.insert(grid.notes.begin(), MoreRows(left_out, style_));
  }

  const Summary& summary_;
  const TextStyle& style_;
  std::string_view TitleOf(StepPart part) const {
    return StepPartTitle(part, summary_.waterfall.device_events > 0);
  }

  const Cells& cells_;
};

}  // namespace

std::vector<Grid> StepGrids(const Summary& summary,
                            const TableOptions& options) {
  const ViewSet views = options.chosen_views();
  std::vector<Grid> grids;
  const auto add = [&](ViewSet view, bool any, const auto& grid) {
    if (!(views & view) || !any) return;
    grids.push_back(InSuitableUnit(options.unit, [&](const Cells& cells) {
      Grid made = grid(SummaryGridMaker(summary, options.style, cells));
      made.unit = cells.unit();
      return made;
    }));
  };
  add(kPercentileView,
      !summary.operators.empty() || !summary.kernel.empty() ||
          !summary.user_defined.empty(),
      [&](const SummaryGridMaker& make) { return make.Percentiles(); });
  add(kWaterfallView, !summary.waterfall.steps.empty(),
      [&](const SummaryGridMaker& make) { return make.WaterfallGrid(); });
  for (const IdleDevice& device : summary.idle.devices) {
    add(kIdleView, true,
        [&](const SummaryGridMaker& make) { return make.IdleGrid(device); });
  }
  add(kLaunchView, summary.launch.device_events > 0,
      [&](const SummaryGridMaker& make) { return make.Launch(); });
  add(kFlopsView, !summary.flops.rows.empty(),
      [&](const SummaryGridMaker& make) { return make.Flops(); });
  add(kOutlierView, !summary.outliers.empty(),
      [&](const SummaryGridMaker& make) { return make.Outliers(); });
  for (const MemoryPlace& place : summary.memory) {
    add(kMemoryLifeView, true, [&](const SummaryGridMaker& make) {
      return make.MemoryLifeGrid(place);
    });
  }
  return grids;
}

std::vector<size_t> WidthsOf(const Grid& grid) {
  std::vector<size_t> widths;
  for (const std::string& head : grid.heads)
    widths.push_back(DisplayWidth(head));
  for (const auto& row : grid.rows)
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], DisplayWidth(row[i]));
  return widths;
}

void PrintGrid(const Grid& grid, std::string& out, size_t width) {
  const std::vector<size_t> widths = WidthsOf(grid);
  const auto parts = PartsOf(widths, grid.keys, width > 0 ? width : grid.most);
  for (const std::vector<size_t>& part : parts) {
    const bool first = &part == &parts.front();
    TextTable table(out, Picked(widths, part));
    table.Title(grid.title + (first ? "" : " (continued)"));
    if (grid.has_times)
      table.Line("Time unit: " + std::string(TimeUnitName(grid.unit)));
    table.Separator();
    table.Row(Picked(grid.heads, part));
    table.Separator();
    for (const auto& row : grid.rows) table.Row(Picked(row, part));
    table.Separator();
    if (&part == &parts.back()) {
      if (!grid.notes.empty()) table.Line("Note:");
      for (const std::string& note : grid.notes)
        table.Line(Wrapped(note, width));
    }
    table.End();
  }
}

void PrintMarkdown(const Grid& grid, std::string& out) {
  MarkdownTable table(out, "", grid.heads);
  for (const std::vector<std::string>& row : grid.rows) {
    std::vector<std::string> cells;
    for (const std::string& cell : row) cells.push_back(EscapeMarkdown(cell));
    table.Row(cells);
  }
  for (const std::string& note : grid.notes) out += "\n" + note + "\n";
}

std::string SentencesAndGrid(const std::vector<std::string>& sentences,
                             const Grid& grid, size_t width) {
  std::string out;
  for (const std::string& line : sentences) out += Wrapped(line, width) + "\n";
  out += "\n";
  PrintGrid(grid, out, width);
  while (out.ends_with("\n\n")) out.pop_back();
  return out;
}

std::string SentencesAndGridMarkdown(const std::vector<std::string>& sentences,
                                     const Grid& grid) {
  std::string out = "## " + grid.title + "\n\n";
  for (const std::string& line : sentences) out += line + "\n";
  out += "\n";
  PrintMarkdown(grid, out);
  return out;
}

}  // namespace stepscope
