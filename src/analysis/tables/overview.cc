// SPDX-License-Identifier: Apache-2.0
#include "analysis/tables/overview.h"

#include <algorithm>
#include <array>

#include "analysis/host_slices.h"
#include "analysis/kinds.h"
#include "analysis/schema.h"
#include "analysis/stats.h"
#include "analysis/step_busy.h"
#include "analysis/summary.h"
#include "base/stable_sort.h"
#include "trace/event_type.h"

namespace stepscope {
namespace {

std::string TypeLabel(size_t type) {
  if (type == kOddTypes) return "Type 64 and above";
  const std::string_view name = EventTypeName(static_cast<uint16_t>(type));
  return name.empty() ? "Type " + std::to_string(type) : std::string(name);
}

// Busy time of the host's events by type. What occurs on one track only comes
// sorted; what occurs on several is put in order slice by slice.
class TypeTimes {
 public:
  TypeTimes(const EventTree& tree, const StepTable& steps) {
    busy_.fill(StepBusy(steps.all_steps()));
    const std::vector<Track>& tracks = tree.trace().tracks();
    for (uint32_t i = 0; i < tracks.size(); ++i) {
      if (tracks[i].kind != TrackKind::kThread) continue;
      for (size_t slot = 0; slot < kTypeSlots; ++slot) {
        calls_[slot] += tree.census().counts(i)[slot];
        runs_[slot] += tree.census().counts(i)[slot] > 0;
      }
    }
    const uint16_t* const type = tree.trace().type().data();
    const int64_t* const start = tree.trace().start_ns().data();
    const auto add = [&](uint32_t, Row row) {
      const uint16_t slot = TypeSlot(type[row]);
      if (runs_[slot] > 1)
        several_[slot].Add(start[row], tree.end_ns(row));
      else
        busy_[slot].Add(start[row], tree.end_ns(row));
    };
    ForEachHostSlice(tree.trace(), add, [this] { AddSeveral(); });
  }

  uint64_t calls(size_t slot) const { return calls_[slot]; }
  BusyPair time(size_t slot) const { return busy_[slot].total(); }

 private:
  void AddSeveral() {
    for (size_t slot = 0; slot < kTypeSlots; ++slot)
      if (runs_[slot] > 1) busy_[slot].Add(several_[slot], ordered_);
  }

  std::array<uint64_t, kTypeSlots> calls_{};
  std::array<uint32_t, kTypeSlots> runs_{};  // tracks that it occurs on
  std::array<StepBusy, kTypeSlots> busy_;
  std::array<IntervalCollector, kTypeSlots> several_;  // of the slice
  IntervalSet ordered_;
};

OverviewRow MakeTypeRow(std::string type, uint64_t calls, BusyPair time,
                        const StepTable& steps) {
  return {std::move(type), calls, time.all_ns,
          Ratio(time.in_steps_ns, steps.total_ns())};
}

// The union of all stages of a type.
BusyPair StageTime(const StepTable& steps, size_t type) {
  IntervalCollector time;
  for (const StepInterval& stage : steps.stages())
    if (stage.type == type) time.Add(stage.range.begin, stage.range.end);
  return BusyPair::Of(time.Finish(), steps.all_steps());
}

std::vector<OverviewRow> HostRows(const EventTree& tree, const StepTable& steps,
                                  const Distribution& distribution) {
  const TypeTimes times(tree, steps);
  std::array<uint64_t, kTypeSlots> stages{};
  std::array<bool, kTypeSlots> concluded{};  // stages without an event
  for (const StepInterval& stage : steps.stages()) {
    ++stages[stage.type];
    if (tree.trace().type()[stage.row] != stage.type)
      concluded[stage.type] = true;
  }
  std::vector<OverviewRow> rows;
  for (size_t i = 0; i < kTypeSlots; ++i) {
    if (i == STEPSCOPE_COMMUNICATION) continue;
    const uint64_t calls = stages[i] > 0 ? stages[i] : times.calls(i);
    if (calls == 0) continue;
    rows.push_back(
        MakeTypeRow(TypeLabel(i), calls,
                    concluded[i] ? StageTime(steps, i) : times.time(i), steps));
  }
  if (distribution.host_calls > 0) {
    rows.push_back(MakeTypeRow(TypeLabel(STEPSCOPE_COMMUNICATION),
                               distribution.host_calls, distribution.host,
                               steps));
  }
  const std::string_view step = EventTypeName(STEPSCOPE_PROFILE_STEP);
  StableSort(rows.begin(), rows.end(),
             [&](const OverviewRow& a, const OverviewRow& b) {
               if ((a.type == step) != (b.type == step)) return a.type == step;
               return a.time_ns > b.time_ns;
             });
  return rows;
}

std::vector<OverviewRow> DeviceTypeRows(const EventTree& tree,
                                        const StepTable& steps,
                                        const Distribution& distribution) {
  const Trace& trace = tree.trace();
  std::vector<OverviewRow> rows;
  std::array<uint64_t, 3> calls{};         // Kernel, Memcpy, Memset
  std::array<IntervalCollector, 3> times;  // of the last two
  for (uint32_t i = 0; i < trace.tracks().size(); ++i) {
    const Track& track = trace.tracks()[i];
    if (track.kind != TrackKind::kStream) continue;
    for (size_t kind = 0; kind < calls.size(); ++kind)
      calls[kind] += tree.census().counts(i)[STEPSCOPE_KERNEL + kind];
    if ((tree.census().types(i) & kDeviceWorkTypes) == SetOf(STEPSCOPE_KERNEL))
      continue;
    for (Row row = track.first; row < track.last; ++row) {
      const uint16_t type = trace.type()[row];
      if (type != STEPSCOPE_MEMCPY && type != STEPSCOPE_MEMSET) continue;
      times[type - STEPSCOPE_KERNEL].Add(trace.start_ns()[row],
                                         tree.end_ns(row));
    }
  }
  const auto add = [&](uint16_t type, uint64_t count, BusyPair time) {
    if (count == 0) return;
    rows.push_back(MakeTypeRow(TypeLabel(type), count, time, steps));
  };
  const auto busy = [&](IntervalCollector& time) {
    return BusyPair::Of(time.Finish(), steps.all_steps());
  };
  add(STEPSCOPE_KERNEL, calls[0], distribution.kernel);
  add(STEPSCOPE_MEMCPY, calls[1], busy(times[1]));
  add(STEPSCOPE_MEMSET, calls[2], busy(times[2]));
  add(STEPSCOPE_COMMUNICATION, distribution.gpu_calls, distribution.gpu);
  return rows;
}

}  // namespace

Overview ComputeOverview(const EventTree& tree, const StepTable& steps,
                         const Distribution& distribution) {
  return {HostRows(tree, steps, distribution),
          DeviceTypeRows(tree, steps, distribution)};
}

namespace {

ColumnsOf<OverviewRow> RowColumns(const std::string& whole) {
  ColumnsOf<OverviewRow> columns;
  columns.Text("type", "type of the events", &OverviewRow::type);
  columns.Count("calls", "events; of stages the outermost only",
                &OverviewRow::calls);
  columns.Time("time_ns", Adds::kUnion,
               "busy time, over all threads or streams", &OverviewRow::time_ns);
  columns.Ratio(
      "ratio", "what of the time lies in the " + whole + ", as a share of them",
      &OverviewRow::ratio);
  return columns;
}

}  // namespace

TableSchema DeclareOverviewTable() {
  ColumnsOf<Overview> columns;
  columns.Nested(
      "cpu", "types of host events, the steps first", RowColumns("steps"),
      [](const Overview& overview) { return RowList::Of(overview.cpu); });
  columns.Nested(
      "gpu", "types of device work", RowColumns("steps"),
      [](const Overview& overview) { return RowList::Of(overview.gpu); });
  return {.key = "overview",
          .paddle_name = "OverView",
          .title = "Overview",
          .meaning = "how much time went into each kind of event?",
          .view = kOverView,
          .json_views = kOverView,
          .shape = TableShape::kGroups,
          .columns = columns.Take(),
          .rows = [](const Summary& s) { return RowList::One(s.overview); }};
}

}  // namespace stepscope
