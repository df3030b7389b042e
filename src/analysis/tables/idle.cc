// SPDX-License-Identifier: Apache-2.0
#include "analysis/tables/idle.h"

#include <algorithm>
#include <utility>

#include "analysis/kinds.h"
#include "analysis/schema.h"
#include "analysis/summary.h"
#include "base/stable_sort.h"

namespace stepscope {
namespace {

constexpr auto kFirstCause = static_cast<size_t>(StepPart::kCommunication);
void AddPieces(const IntervalSet& pieces, IdleRow& row) {
  row.gaps += pieces.size();
  for (const Interval& piece : pieces) {
    const int64_t length = SaturatingSubtract(piece.end, piece.begin);
    row.time_ns = SaturatingAdd(row.time_ns, length);
    if (length <= row.longest_ns) continue;
    row.longest_ns = length;
    row.longest_at_ns = piece.begin;
  }
}

// Of each gap, what comes after a range of `set` has begun in it.
IntervalSet FromThen(const IntervalSet& gaps, const IntervalSet& set) {
  IntervalSet result;
  size_t j = 0;
  for (const Interval& gap : gaps) {
    while (j < set.size() && set[j].end <= gap.begin) ++j;
    if (j == set.size()) break;
    if (set[j].begin >= gap.end) continue;
    result.push_back({std::max(gap.begin, set[j].begin), gap.end});
  }
  return result;
}

// While the host waits for the device and launches or computes afterwards.
int64_t TimeAroundSync(const StepWindow& window, const IntervalSet& idle) {
  if (window.sync().empty()) return 0;
  const IntervalSet since = FromThen(idle, window.sync());
  const auto& [communication, pending, input, sync, host] = window.causes;
  const IntervalSet active = Union(sync, Union(pending, host));
  return TotalLength(
      Difference(Intersection(since, active), Union(communication, input)));
}

}  // namespace

IdleTable::IdleTable(const EventTree& tree, const StepTable& steps,
                     const StepSweep& sweep)
    : tree_(tree),
      backward_(tree.trace().processes().size()),
      operator_slots_(tree.trace().strings().size(), kNoTableRow) {
  for (const SweepDevice& device : sweep.devices()) {
    IdleDevice row;
    row.name = device.name;
    row.process = device.process;
    for (size_t i = 0; i < row.rows.size(); ++i)
      row.rows[i].cause = static_cast<StepPart>(kFirstCause + i);
    result_.devices.push_back(std::move(row));
  }
  if (result_.devices.empty()) return;
  std::vector<IntervalCollector> backward(backward_.size());
  for (const StepInterval& stage : steps.stages()) {
    if (stage.type != STEPSCOPE_BACKWARD) continue;
    backward[tree.threads()[stage.thread].process].Add(stage.range.begin,
                                                       stage.range.end);
  }
  for (size_t i = 0; i < backward.size(); ++i)
    backward_[i] = backward[i].Finish();
}

void IdleTable::Add(const StepWindow& window) {
  if (!window.knows_devices()) return;
  for (size_t i = 0; i < window.idle.size(); ++i)
    AddGaps(window, window.idle[i], result_.devices[window.first_device + i]);
  if (!window.host_operators.empty()) AddHostOperators(window);
}

void IdleTable::AddGaps(const StepWindow& window, const IntervalSet& idle,
                        IdleDevice& device) {
  device.step_ns = SaturatingAdd(device.step_ns, window.length());
  device.idle_ns = SaturatingAdd(device.idle_ns, TotalLength(idle));
  device.around_sync_ns =
      SaturatingAdd(device.around_sync_ns, TimeAroundSync(window, idle));
  if (window.idle.size() == 1) {
    for (size_t i = 0; i < window.pieces.size(); ++i)
      AddPieces(window.pieces[i], device.rows[i]);
  } else {
    remainder_.Reset(idle);
    for (size_t i = 0; i < window.causes.size(); ++i) {
      remainder_.Take(window.causes[i], taken_);
      AddPieces(taken_, device.rows[i]);
    }
    AddPieces(remainder_.rest(), device.rows.back());
  }

  // Stages come in time order, and so do windows.
  const IntervalSet& all = backward_[window.process];
  auto first = std::lower_bound(
      all.begin(), all.end(), window.range.begin,
      [](const Interval& stage, int64_t time) { return stage.end <= time; });
  IntervalSet backward;
  for (; first != all.end() && first->begin < window.range.end; ++first) {
    backward.push_back({std::max(first->begin, window.range.begin),
                        std::min(first->end, window.range.end)});
  }
  device.backward_ns = SaturatingAdd(device.backward_ns, TotalLength(backward));
  if (backward.empty()) return;
  device.in_backward_ns =
      SaturatingAdd(device.in_backward_ns, OverlapLength(idle, backward));
}

void IdleTable::AddHostOperators(const StepWindow& window) {
  const Trace& trace = tree_.trace();
  // Waiting for data is the loader's, whatever goes on inside.
  const IntervalSet idle = Difference(window.idle.front(), window.causes[2]);
  for (const Row row : window.host_operators) {
    const Interval span{trace.start_ns()[row], tree_.end_ns(row)};
    auto gap = std::lower_bound(
        idle.begin(), idle.end(), span.begin,
        [](const Interval& part, int64_t time) { return part.end <= time; });
    int64_t held_up = 0;
    for (; gap != idle.end() && gap->begin < span.end; ++gap) {
      held_up = SaturatingAdd(
          held_up, SaturatingSubtract(std::min(gap->end, span.end),
                                      std::max(gap->begin, span.begin)));
    }
    if (held_up <= 0) continue;
    const StringId name = trace.name()[row];
    uint32_t& slot = operator_slots_[name.v];
    if (slot == kNoTableRow) {
      slot = static_cast<uint32_t>(result_.host_operators.size());
      result_.host_operators.push_back({kNoRow, name, 0, 0, 0});
    }
    HostOperator& op = result_.host_operators[slot];
    ++op.calls;
    op.idle_ns = SaturatingAdd(op.idle_ns, held_up);
    if (held_up > op.longest_ns) {
      op.longest_ns = held_up;
      op.example = row;
    }
  }
}

Idle IdleTable::Finish() {
  StableSort(result_.host_operators.begin(), result_.host_operators.end(),
             [](const HostOperator& a, const HostOperator& b) {
               return a.idle_ns > b.idle_ns;
             });
  return std::move(result_);
}

namespace {

struct CauseRow {
  const IdleDevice* device = nullptr;
  const IdleRow* row = nullptr;
  int64_t pid = 0;
};

RowList CauseRows(const Summary& summary) {
  std::vector<CauseRow> rows;
  for (const IdleDevice& device : summary.idle.devices) {
    const int64_t pid = summary.trace->processes()[device.process].pid;
    for (const IdleRow& row : device.rows) rows.push_back({&device, &row, pid});
  }
  return RowList::Own(std::move(rows));
}

}  // namespace

TableSchema DeclareIdleTable() {
  ColumnsOf<CauseRow> columns;
  columns.Text("device", "the device that stood idle", [](const CauseRow& row) {
    return std::string_view(row.device->name);
  });
  columns.Count("pid", "process", &CauseRow::pid);
  columns.Text(
      "cause", "what went on meanwhile: a part of the waterfall",
      [](const CauseRow& row) { return StepPartName(row.row->cause); });
  columns.Time("time_ns", Adds::kUnion, "idle time during the steps",
               [](const CauseRow& row) { return row.row->time_ns; });
  columns.Ratio("ratio", "time as a share of the steps of the process",
                [](const CauseRow& row) {
                  return Ratio(row.row->time_ns, row.device->step_ns);
                });
  columns.Count("gaps", "pieces of gaps",
                [](const CauseRow& row) { return row.row->gaps; });
  columns
      .Time("longest_ns", "the longest of them",
            [](const CauseRow& row) { return row.row->longest_ns; })
      .As("Longest gap");
  columns
      .Moment("longest_at_ns", "where that one begins",
              [](const CauseRow& row) -> std::optional<int64_t> {
                if (row.row->gaps == 0) return std::nullopt;
                return row.row->longest_at_ns;
              })
      .As("Longest gap at");
  return {.key = "idle",
          .title = "Idle",
          .meaning = "why did a device do nothing?",
          .view = kIdleView,
          .json_views = kIdleView,
          .columns = columns.Take(),
          .rows = CauseRows,
          .nothing = [](const Summary& s) { return s.idle.devices.empty(); }};
}

}  // namespace stepscope
