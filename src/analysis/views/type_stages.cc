// SPDX-License-Identifier: Apache-2.0
//
// Kinds of events by stage: how many began in it and how long they were busy,
// as a union over threads or streams. Device work counts where it was
// launched. What begins outside of the steps is in no stage.
#include <array>
#include <map>
#include <vector>

#include "analysis/host_slices.h"
#include "analysis/kinds.h"
#include "analysis/stats.h"
#include "analysis/views/stage_lookup.h"
#include "analysis/views/view_table.h"

namespace stepscope {
namespace {

struct TypeStageRow {
  std::string_view type;
  bool device = false;
  std::string_view stage;
  uint64_t calls = 0;
  int64_t time_ns = 0;
  double ratio = 0;
};

struct StageShare {
  uint64_t calls = 0;
  IntervalCollector slice;  // what is not in `busy` yet
  OrderedBusy busy;
};
using Stages = std::array<StageShare, kStageSlots>;

bool IsCounted(uint16_t type) {
  return type != STEPSCOPE_PROFILE_STEP && !IsStage(type) &&
         !EventTypeName(type).empty();
}

// By device or host, then by type.
using Types = std::map<std::pair<bool, uint16_t>, Stages>;

void AddSlices(Types& types) {
  IntervalSet ordered;
  for (auto& [key, stages] : types)
    for (StageShare& share : stages) share.busy.Add(share.slice, ordered);
}

void AddHost(const EventTree& tree, const StageLookup& lookup, Types& types) {
  const Trace& trace = tree.trace();
  const auto add = [&](uint32_t track, Row row) {
    const uint16_t type = trace.type()[row];
    if (!IsCounted(type)) return;
    const size_t stage =
        lookup.Find(tree.threads().of_track(track), trace.start_ns()[row]);
    if (stage == StageLookup::kNoStage) return;
    StageShare& share = types[{false, type}][stage];
    ++share.calls;
    share.slice.Add(trace.start_ns()[row], tree.end_ns(row));
  };
  ForEachHostSlice(trace, add, [&] { AddSlices(types); });
}

void AddDevice(const EventTree& tree, const StageLookup& lookup, Types& types) {
  const Trace& trace = tree.trace();
  for (const DeviceWork& work : tree.work()) {
    if (work.launch == kNoRow) continue;
    const uint32_t thread = tree.thread_of(work.launch);
    if (thread == kNoThread) continue;
    const size_t stage = lookup.Find(thread, trace.start_ns()[work.launch]);
    if (stage == StageLookup::kNoStage) continue;
    StageShare& share = types[{true, trace.type()[work.row]}][stage];
    ++share.calls;
    share.slice.Add(trace.start_ns()[work.row], tree.end_ns(work.row));
  }
}

std::vector<TypeStageRow> ComputeTypeStages(const ViewInput& input) {
  const StageLookup lookup(input.tree, input.steps);
  Types types;
  AddHost(input.tree, lookup, types);
  AddDevice(input.tree, lookup, types);
  AddSlices(types);
  std::vector<TypeStageRow> rows;
  for (auto& [key, stages] : types) {
    const size_t first = rows.size();
    int64_t total_ns = 0;
    for (size_t slot = 0; slot < kStageSlots; ++slot) {
      if (stages[slot].calls == 0) continue;
      const int64_t time = stages[slot].busy.total_ns();
      rows.push_back({EventTypeName(key.second), key.first, StageName(slot),
                      stages[slot].calls, time, 0});
      total_ns = SaturatingAdd(total_ns, time);
    }
    for (size_t i = first; i < rows.size(); ++i)
      rows[i].ratio = Ratio(rows[i].time_ns, total_ns);
  }
  return rows;
}

}  // namespace

ViewTable DeclareTypeStagesViewTable() {
  ColumnsOf<TypeStageRow> columns;
  columns.Text("type", "type of the events", &TypeStageRow::type);
  columns.Bool("device", "whether they ran on a device", &TypeStageRow::device);
  columns.Text("stage", "stage that they began in, or were launched in",
               &TypeStageRow::stage);
  columns.Count("calls", "how many there were", &TypeStageRow::calls);
  columns.Time("time_ns", Adds::kUnion,
               "busy time, over all threads or streams",
               &TypeStageRow::time_ns);
  columns.Ratio("ratio", "time as a share of the type's stages together",
                &TypeStageRow::ratio);
  return {.key = "type_stages",
          .title = "Events by type and stage",
          .meaning = "in which stage does each kind of event take its time?",
          .columns = columns.Take(),
          .rows = [](const ViewInput& input) {
            return RowList::Own(ComputeTypeStages(input));
          }};
}

}  // namespace stepscope
