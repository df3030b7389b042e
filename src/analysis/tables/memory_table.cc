// SPDX-License-Identifier: Apache-2.0
//
// The tables of memory: by process and place, and what lived at the peak. In
// JSON both are one.
#include "analysis/schema.h"
#include "analysis/summary.h"
#include "analysis/tables/memory.h"
#include "analysis/tables/memory_columns.h"

namespace stepscope {

namespace {

// A line of the table of its own that the peak has.
struct PeakRow {
  std::string process;
  std::string_view place;
  std::string_view name;
  std::string_view state;
  int64_t bytes = 0;
  std::optional<uint64_t> allocations;
  std::optional<uint64_t> steps;
};

ColumnsOf<LeakRow> LeakColumns() {
  ColumnsOf<LeakRow> columns;
  columns.Text("name", "the event that allocated it", &LeakRow::name);
  columns.Bytes("bytes", Adds::kSum, "bytes that were never freed",
                &LeakRow::bytes);
  columns.Count("allocations", "allocations of these", &LeakRow::allocations);
  columns.Count("steps", "steps in which it grew", &LeakRow::steps);
  return columns;
}

RowList StatedPeakRows(const Summary& summary) {
  std::vector<PeakRow> rows;
  for (const MemoryPlace& place : summary.memory) {
    for (const LiveRow& live : place.life.live_at_peak) {
      rows.push_back({place.process_name, place.place, live.name, "live",
                      live.bytes, live.allocations, std::nullopt});
    }
    if (place.life.before_bytes > 0) {
      rows.push_back({place.process_name, place.place, kBeforeName, "live",
                      place.life.before_bytes, std::nullopt, std::nullopt});
    }
    for (const LeakRow& leak : place.life.leaks) {
      rows.push_back({place.process_name, place.place, leak.name, "grows",
                      leak.bytes, leak.allocations, leak.steps});
    }
  }
  return RowList::Own(std::move(rows));
}

}  // namespace

TableSchema DeclareMemoryTable() {
  ColumnsOf<MemoryPlace> columns;
  columns.Text("place", "where the memory is", &MemoryPlace::place);
  AddProcessColumn(columns, &MemoryPlace::process_name);
  columns.Bytes("peak_allocated_bytes", Adds::kNothing,
                "the most that was allocated at one time",
                &MemoryPlace::peak_allocated_bytes);
  columns.Bytes("peak_reserved_bytes", Adds::kNothing,
                "the most that was reserved at one time",
                &MemoryPlace::peak_reserved_bytes);
  columns.Bytes("stated_peak_allocated_bytes", Adds::kNothing,
                "the most in the life of the process, as its recorder said",
                &MemoryPlace::stated_peak_allocated_bytes);
  columns.Bytes("stated_peak_reserved_bytes", Adds::kNothing,
                "the same of what was reserved",
                &MemoryPlace::stated_peak_reserved_bytes);
  columns
      .Nested("rows", "events that allocated or freed", MemoryRowColumns(),
              [](const MemoryPlace& place) { return RowList::Of(place.rows); })
      .As("By operator");
  columns
      .Moment("peak_at_ns", "when most was allocated",
              [](const MemoryPlace& place) { return place.life.peak_at_ns; })
      .As("Time of the peak");
  columns
      .Nested("live_at_peak", "who held it then", LiveRowColumns(),
              [](const MemoryPlace& place) {
                return RowList::Of(place.life.live_at_peak);
              })
      .As("Live at the peak");
  columns
      .Bytes("before_recording_bytes", Adds::kNothing,
             "of the total at the peak, what was there before",
             [](const MemoryPlace& place) { return place.life.before_bytes; })
      .As("Before the recording");
  columns.Nested(
      "leak_candidates", "who takes more in every step", LeakColumns(),
      [](const MemoryPlace& place) { return RowList::Of(place.life.leaks); });
  return {.key = "memory",
          .paddle_name = "MemoryView",
          .title = "Memory",
          .meaning = "what allocates memory, and how much at most?",
          .view = kMemoryView,
          .json_views = kMemoryView | kMemoryLifeView,
          .columns = columns.Take(),
          .rows = [](const Summary& s) { return RowList::Of(s.memory); },
          .nothing = [](const Summary& s) { return s.memory.empty(); }};
}

TableSchema DeclareMemoryLifeTable() {
  ColumnsOf<PeakRow> columns;
  columns.Text("name", "the event that allocated", &PeakRow::name);
  columns.Text("place", "where the memory is", &PeakRow::place);
  AddProcessColumn(columns, &PeakRow::process);
  columns.Text("state", "live: not freed at the peak; grows: more every step",
               &PeakRow::state);
  columns.Bytes("bytes", Adds::kSum, "bytes of these", &PeakRow::bytes);
  columns.Count("allocations", "allocations of these", &PeakRow::allocations);
  columns.Count("steps", "steps in which it grew", &PeakRow::steps);
  return {.key = "memory_life",
          .title = "Memory at the peak",
          .meaning = "who held the memory, who leaks?",
          .view = kMemoryLifeView,
          .columns = columns.Take(),
          .rows = StatedPeakRows,
          .nothing = [](const Summary& s) { return s.memory.empty(); }};
}

}  // namespace stepscope
