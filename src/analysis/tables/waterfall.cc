// SPDX-License-Identifier: Apache-2.0
#include "analysis/tables/waterfall.h"

#include <algorithm>
#include <utility>

#include "analysis/kinds.h"
#include "analysis/looks.h"
#include "analysis/schema.h"
#include "analysis/stats.h"
#include "analysis/summary.h"

namespace stepscope {

double Waterfall::coverage() const {
  return step_ns == 0 ? 0 : 1 - Ratio(part(StepPart::kUnexplained), step_ns);
}

void WaterfallTable::Add(const StepWindow& window) {
  if (result_.steps.empty() || result_.steps.back().process != window.process)
    ++result_.processes;
  StepParts step;
  step.index = window.step == nullptr ? -1 : window.step->index;
  step.process = window.process;
  step.row = window.step == nullptr ? kNoRow : window.step->row;
  step.range = window.range;
  step.part_ns = window.part_ns;
  step.knows_devices = window.knows_devices();
  for (size_t i = 0; i < kStepParts; ++i) {
    result_.part_ns[i] = SaturatingAdd(result_.part_ns[i], step.part_ns[i]);
    result_.step_ns = SaturatingAdd(result_.step_ns, step.part_ns[i]);
  }
  result_.steps.push_back(step);
}

void WaterfallTable::AddTimeBeforeEvents(const Trace& trace) {
  std::vector<int64_t> first(trace.processes().size(), INT64_MAX);
  for (const Track& track : trace.tracks()) {
    if (track.first == track.last) continue;
    int64_t& start = first[track.process];
    start = std::min(start, trace.start_ns()[track.first]);
  }
  for (const StepParts& window : result_.steps) {
    const int64_t until = std::min(first[window.process], window.range.end);
    if (until <= window.range.begin) continue;
    result_.before_events_ns =
        SaturatingAdd(result_.before_events_ns,
                      SaturatingSubtract(until, window.range.begin));
  }
}

Waterfall WaterfallTable::Finish(const EventTree& tree,
                                 const StepTable& steps) {
  result_.device_events = tree.work().size();
  result_.device_events_launched = tree.work().size() - tree.orphans();
  const Trace& trace = tree.trace();
  for (uint32_t i = 0; i < trace.tracks().size(); ++i) {
    const Track& track = trace.tracks()[i];
    if (track.kind != TrackKind::kThread) continue;
    result_.host_events += track.last - track.first;
    for (const Row row : tree.census().marks(i))
      if (IsConcludedPass(trace, row)) --result_.host_events;
  }
  if (steps.steps().empty()) AddTimeBeforeEvents(trace);
  const size_t windows = steps.steps().empty() ? 0 : result_.steps.size();
  result_.other_threads_steps = steps.steps().size() - windows;
  return std::move(result_);
}

namespace {

struct PartRow {
  StepPart part = StepPart::kKernel;
  int64_t time_ns = 0;
  double ratio = 0;
};

struct StepPartsRow {
  const StepParts* step = nullptr;
  int64_t pid = 0;
};

struct WaterfallRow {
  const Summary* summary = nullptr;

  const Waterfall& of() const { return summary->waterfall; }
  RowList Parts() const {
    std::vector<PartRow> parts;
    for (size_t i = 0; i < kStepParts; ++i) {
      const int64_t ns = of().part_ns[i];
      parts.push_back({static_cast<StepPart>(i), ns, Ratio(ns, of().step_ns)});
    }
    return RowList::Own(std::move(parts));
  }
  RowList Steps() const {
    std::vector<StepPartsRow> steps;
    for (const StepParts& step : of().steps)
      steps.push_back({&step, summary->trace->processes()[step.process].pid});
    return RowList::Own(std::move(steps));
  }
};

ColumnsOf<PartRow> PartColumns() {
  ColumnsOf<PartRow> columns;
  columns.Text("name", "name of the part",
               [](const PartRow& row) { return StepPartName(row.part); });
  columns.Time("time_ns", Adds::kUnion, "what the parts above leave of it",
               &PartRow::time_ns);
  columns.Ratio("ratio", "time as a share of the steps", &PartRow::ratio);
  columns.Text("formula", "how it is computed",
               [](const PartRow& row) { return LookOf(row.part).formula; });
  return columns;
}

ColumnsOf<StepPartsRow> StepPartsColumns() {
  ColumnsOf<StepPartsRow> columns;
  columns.Count("index", "number of the step; empty: the recorded window",
                [](const StepPartsRow& row) -> std::optional<int64_t> {
                  if (row.step->row == kNoRow) return std::nullopt;
                  return row.step->index;
                });
  columns.Count("pid", "process", &StepPartsRow::pid);
  columns.Moment("start_ns", "when it began",
                 [](const StepPartsRow& row) { return row.step->range.begin; });
  columns.List<int64_t>(
      "parts_ns", CellType::kTime, "its parts, in the order of `parts`",
      [](const StepPartsRow& row) {
        const auto& parts = row.step->part_ns;
        return RowList::Own(std::vector<int64_t>(parts.begin(), parts.end()));
      });
  return columns;
}

}  // namespace

TableSchema DeclareWaterfallTable() {
  ColumnsOf<WaterfallRow> columns;
  columns.Time("step_ns", Adds::kSum,
               "all steps together: the sum of the parts",
               [](const WaterfallRow& row) { return row.of().step_ns; });
  columns.Nested("parts", "what took the steps, in order of precedence",
                 PartColumns(), &WaterfallRow::Parts);
  columns.Ratio("coverage", "share of the steps that is explained",
                [](const WaterfallRow& row) { return row.of().coverage(); });
  const auto input = [&](const char* name, const char* meaning, auto get) {
    columns.Count(std::string("inputs.") + name, meaning, get)
        .As(TitleOfColumn(name));
  };
  input("processes", "processes that had a step",
        [](const WaterfallRow& row) { return row.of().processes; });
  input("steps", "steps; 0 if the recorded window stands for one",
        [](const WaterfallRow& row) {
          return row.summary->has_steps ? row.of().steps.size() : size_t{0};
        });
  input("other_threads_steps", "steps of other threads, which are left out",
        [](const WaterfallRow& row) { return row.of().other_threads_steps; });
  input("host_events", "host events that it was made from",
        [](const WaterfallRow& row) { return row.of().host_events; });
  input("device_events", "device events that it was made from",
        [](const WaterfallRow& row) { return row.of().device_events; });
  input(
      "device_events_launched", "of these, with a recorded launch",
      [](const WaterfallRow& row) { return row.of().device_events_launched; });
  columns.Nested("per_step", "the parts of every step", StepPartsColumns(),
                 &WaterfallRow::Steps);
  return {.key = "waterfall",
          .title = "Waterfall",
          .meaning = "what took each step, to the nanosecond?",
          .view = kWaterfallView,
          .json_views = kWaterfallView,
          .shape = TableShape::kOne,
          .columns = columns.Take(),
          .rows =
              [](const Summary& s) {
                std::vector<WaterfallRow> rows;
                if (!s.waterfall.steps.empty()) rows.push_back({&s});
                return RowList::Own(std::move(rows));
              },
          .nothing = [](const Summary& s) { return s.waterfall.step_ns == 0; }};
}

}  // namespace stepscope
