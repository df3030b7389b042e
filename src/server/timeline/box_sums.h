// SPDX-License-Identifier: Apache-2.0
//
// What lies in a box that a reader has drawn, by name. Calls, nested calls,
// total and self are what the tables of `summary` have of a trace that was cut
// at the edges of the box: box_sums_test.cc.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/interval.h"
#include "server/events/event_relations.h"
#include "server/files/open_trace.h"
#include "trace/line_depths.h"

namespace stepscope::server {

// Events of one name and kind. Those of a range on a thread, and those of the
// copy of it that some recorders put on a stream, are two rows.
struct BoxRow {
  StringId name;
  uint16_t kind = 0;  // KindOfCall
  TrackKind on = TrackKind::kThread;
  uint8_t event_class = 0;
  uint64_t nested_calls = 0;       // inside another of the row
  int64_t total_ns = 0;            // of the calls, inside the box
  int64_t self_ns = 0;             // nested calls too
  std::vector<int64_t> durations;  // of each call, whole
};

struct BoxSums {
  uint64_t events = 0;
  std::vector<BoxRow> rows;  // most time first
};

// Of events on some tracks that overlap a range, on the clock of the trace.
BoxSums SumBox(const OpenTrace& open, std::span<const uint32_t> view_tracks,
               Interval range);

// Calls `visit(row, depth)` for each event of a part of a track that overlaps
// a range; parents first, `depth` is that in the part.
template <typename Visit>
void ForEachInBox(const Trace& trace, const TilePart& part, Interval range,
                  Visit visit) {
  const auto look = [&](Row row, const LinePlace& place) {
    const uint32_t depth = place.depth - part.first_depth;
    if (place.kind == part.kind && depth < part.depths) visit(row, depth);
  };
  const Track& track = trace.tracks()[part.track];
  const Row first = LowerBound(trace, track, range.begin);
  // What goes on at the begin: the event before and its parents.
  std::vector<Row> around;
  if (first > track.first)
    for (Row row = first - 1; row != kNoRow; row = trace.nesting().parent[row])
      if (trace.end_ns(row) > range.begin) around.push_back(row);
  for (auto row = around.rbegin(); row != around.rend(); ++row)
    look(*row, LinePlaceOf(trace, *row));
  if (first == track.last) return;
  LineDepths places(trace, first);
  for (Row row = first; row < track.last && trace.start_ns()[row] < range.end;
       ++row)
    look(row, places.Next(row));
}

}  // namespace stepscope::server
