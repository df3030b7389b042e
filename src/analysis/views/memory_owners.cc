// SPDX-License-Identifier: Apache-2.0
//
// The Memory table's rows of one place and of one range of time: who allocated
// and freed then, and who held memory when most of it was in use then. Over
// the whole trace they are the rows of the summary.
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "analysis/tables/accountable.h"
#include "analysis/tables/memory.h"
#include "analysis/tables/memory_columns.h"
#include "analysis/tables/rows.h"
#include "analysis/views/view_table.h"

namespace stepscope {
namespace {

std::optional<Interval> RangeOf(const ViewQuery& query) {
  if (!query.range) return std::nullopt;
  return Interval{SaturatingAdd(query.range->begin, query.origin_ns),
                  SaturatingAdd(query.range->end, query.origin_ns)};
}

std::vector<MemoryRow> ComputeOwners(const ViewInput& input) {
  const Trace& trace = input.tree.trace();
  const std::optional<Interval> range = RangeOf(input.query);
  Accountable accountable(input.tree);
  std::map<std::pair<bool, uint32_t>, size_t> slots;
  std::vector<MemoryRow> rows;
  for (const MemoryEvent& event : trace.memory()) {
    if (trace.str(event.place) != input.query.place) continue;
    if (range && (event.time_ns < range->begin || event.time_ns >= range->end))
      continue;
    const bool reserved = event.kind == MemoryKind::kReservedAllocate ||
                          event.kind == MemoryKind::kReservedFree;
    const bool frees = event.kind == MemoryKind::kFree ||
                       event.kind == MemoryKind::kReservedFree;
    const StringId name = accountable.NameOf(event.owner);
    const auto [slot, is_new] =
        slots.try_emplace({reserved, name.v}, rows.size());
    if (is_new) {
      rows.push_back({name == kOutsideId ? kOutsideName : trace.str(name),
                      reserved, 0, 0, 0, 0});
    }
    MemoryRow& row = rows[slot->second];
    ++(frees ? row.frees : row.allocations);
    int64_t& sum = frees ? row.freed_bytes : row.allocated_bytes;
    sum = SaturatingAdd(sum, Magnitude(event.bytes));
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const MemoryRow& a, const MemoryRow& b) {
                     if (a.reserved != b.reserved) return b.reserved;
                     return a.increase_bytes() > b.increase_bytes();
                   });
  return rows;
}

// The rows are part of the peak where the file states how much it was.
ViewRows ComputeLive(const ViewInput& input) {
  const Trace& trace = input.tree.trace();
  // Places in order of their first event, as the lives are.
  std::vector<uint32_t> places;
  for (const MemoryEvent& event : trace.memory()) {
    if (std::find(places.begin(), places.end(), event.place.v) == places.end())
      places.push_back(event.place.v);
  }
  std::vector<MemoryLife> lives =
      ComputeMemoryLives(input.tree, input.steps, RangeOf(input.query));
  for (size_t i = 0; i < places.size(); ++i) {
    if (trace.str(StringId{places[i]}) != input.query.place) continue;
    MemoryLife& life = lives[i];
    int64_t live = 0;
    for (const LiveRow& row : life.live_at_peak)
      live = SaturatingAdd(live, row.bytes);
    return {RowList::Own(std::move(life.live_at_peak)),
            {{"live_bytes", live},
             {"before_bytes", life.before_bytes},
             {"peak_bytes", SaturatingAdd(live, life.before_bytes)}}};
  }
  return RowList::Own(std::vector<LiveRow>{});
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
