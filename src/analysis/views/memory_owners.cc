// SPDX-License-Identifier: Apache-2.0
//
// The Memory table's rows of one place and of one range of time: who allocated
// and freed then, and who held memory when most of it was in use then. Over
// the whole trace they are the rows of the summary.
#include <utility>
#include <vector>

#include "analysis/process_name.h"
#include "analysis/tables/accountable.h"
#include "analysis/tables/memory.h"
#include "analysis/tables/memory_columns.h"
#include "analysis/tables/memory_rows.h"
#include "analysis/views/view_table.h"

namespace stepscope {
namespace {

std::vector<MemoryRow> ComputeOwners(const ViewInput& input) {
  const Trace& trace = input.tree.trace();
  const std::optional<Interval>& range = input.query.range;
  const ProcessFilter of_process(trace, input.query.process);
  Accountable accountable(input.tree);
  MemoryRows rows;
  for (const MemoryEvent& event : trace.memory()) {
    if (trace.str(event.place) != input.query.place) continue;
    if (!of_process(trace.tracks()[event.track].process)) continue;
    if (range && (event.time_ns < range->begin || event.time_ns >= range->end))
      continue;
    rows.Add(trace, event, accountable.NameOf(event.owner));
  }
  return rows.Take();
}

// The rows are part of the peak where the file states how much it was. Of
// several processes the one that held most: each has its own peak.
ViewRows ComputeLive(const ViewInput& input) {
  const Trace& trace = input.tree.trace();
  const ProcessFilter of_process(trace, input.query.process);
  const std::vector<MemoryOfPlace> places = SumMemory(trace, input.query.range);
  std::vector<MemoryLife> lives =
      ComputeMemoryLives(input.tree, input.steps, places);
  const MemoryOfPlace* most = nullptr;
  for (const MemoryOfPlace& place : places)
    if (trace.str(place.place) == input.query.place &&
        of_process(place.process) &&
        (most == nullptr ||
         place.sums.peak_allocated() > most->sums.peak_allocated()))
      most = &place;
  if (most == nullptr) return RowList::Own(std::vector<LiveRow>{});
  MemoryLife& life = lives[static_cast<size_t>(most - places.data())];
  int64_t live = 0;
  for (const LiveRow& row : life.live_at_peak)
    live = SaturatingAdd(live, row.bytes);
  return {RowList::Own(std::move(life.live_at_peak)),
          {{"live_bytes", live},
           {"before_bytes", life.before_bytes},
           {"peak_bytes", SaturatingAdd(live, life.before_bytes)}}};
}

}  // namespace

ViewTable DeclareMemoryOwnersViewTable() {
  return {.key = "memory_owners",
          .title = "Memory by operator",
          .meaning = "who allocated and freed the memory of a place?",
          .columns = MemoryRowColumns().Take(),
          .rows = [](const ViewInput& input) {
            return RowList::Own(ComputeOwners(input));
          }};
}

ViewTable DeclareMemoryLiveViewTable() {
  return {.key = "memory_live",
          .title = "Live at the peak",
          .meaning = "who held the memory when most of it was in use?",
          .columns = LiveRowColumns().Take(),
          .rows = ComputeLive};
}

}  // namespace stepscope
