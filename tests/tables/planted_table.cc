// SPDX-License-Identifier: Apache-2.0
//
// A table as anybody would add one: this file, and the line in planted_list.cc.
#include <map>
#include <string>
#include <vector>

#include "analysis/schema.h"
#include "analysis/summary.h"

namespace stepscope {
namespace {

struct PlantedRow {
  std::string_view track;
  int64_t events = 0;
  int64_t total_ns = 0;
};

std::vector<PlantedRow> PlantedRows(const Summary& summary) {
  const Trace& trace = *summary.trace;
  std::vector<PlantedRow> rows;
  for (const Track& track : trace.tracks()) {
    PlantedRow row{trace.str(track.name), track.last - track.first};
    for (Row i = track.first; i < track.last; ++i)
      row.total_ns += trace.dur_ns()[i];
    rows.push_back(row);
  }
  return rows;
}

}  // namespace

TableSchema DeclarePlantedTable() {
  ColumnsOf<PlantedRow> columns;
  columns.Text("track", "what it is called", &PlantedRow::track);
  columns.Count("events", "how many there are", &PlantedRow::events);
  columns.Time("total_ns", Adds::kSum, "time of the events",
               &PlantedRow::total_ns);
  return {
      .key = "planted",
      .title = "Planted",
      .meaning = "how many events has a track?",
      .columns = columns.Take(),
      .rows = [](const Summary& s) { return RowList::Own(PlantedRows(s)); }};
}

}  // namespace stepscope
