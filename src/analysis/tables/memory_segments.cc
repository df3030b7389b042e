// SPDX-License-Identifier: Apache-2.0
//
// Fragmentation: the allocations for which the allocator had to reserve more
// although memory was free, in holes that were too small; and where memory was
// out. By a replay of the allocator.
#include <algorithm>

#include "analysis/memory_accounts.h"
#include "analysis/memory_retries.h"
#include "analysis/memory_script.h"
#include "analysis/schema.h"
#include "analysis/step_finder.h"
#include "analysis/summary.h"

namespace stepscope {
namespace {

struct SegmentRow {
  std::string_view place;
  std::string_view what;
  std::string_view name;
  std::string_view line;
  int64_t at_ns = 0;
  std::optional<uint64_t> step;
  int64_t asked_bytes = 0;
  std::optional<int64_t> segment_bytes;
  std::optional<int64_t> free_bytes;
  std::optional<int64_t> largest_hole_bytes;
  std::optional<int64_t> released_bytes;
  std::optional<int64_t> took_ns;
};

// Events that a snapshot states; what they asked for is an argument.
void AddIncidents(const Trace& trace, const StepFinder& finder,
                  std::vector<SegmentRow>& rows) {
  for (Row row = 0; row < trace.size(); ++row) {
    if (trace.str(trace.name()[row]) != "out of memory" ||
        (trace.flags()[row] & kEventInstant) == 0)
      continue;
    SegmentRow out;
    out.what = "out of memory";
    out.at_ns = trace.start_ns()[row];
    const Track& track = trace.tracks()[trace.track()[row]];
    const uint32_t step = finder.Find(track.process, out.at_ns);
    if (step != StepFinder::kNone) out.step = step;
    out.line = LineOf(trace, row);
    for (const Arg& arg : trace.args_of(row)) {
      if (arg.kind == ArgKind::kInt && trace.str(arg.key) == "bytes")
        out.asked_bytes = arg.int_value;
      if (arg.kind == ArgKind::kText && trace.str(arg.key) == "name")
        out.name = trace.str(arg.text);
    }
    rows.push_back(out);
  }
}

void AddRetries(const Trace& trace, const StepFinder& finder,
                const MemoryScript& script, std::vector<SegmentRow>& rows) {
  for (const MemoryRetry& retry : FindMemoryRetries(trace, script)) {
    const MemoryEvent event = trace.memory()[retry.event];
    SegmentRow row;
    row.place = trace.str(script.place);
    row.what = "retry";
    row.name = OwnerName(trace, event.owner);
    row.line = LineOf(trace, event.owner);
    row.at_ns = retry.begin_ns;
    const uint32_t step = finder.Find(script.process, event.time_ns);
    if (step != StepFinder::kNone) row.step = step;
    row.asked_bytes = event.bytes - event.padding_bytes;
    row.segment_bytes = retry.reserved_bytes;
    row.released_bytes = retry.released_bytes;
    row.took_ns = retry.took_ns;
    rows.push_back(row);
  }
}

RowList SegmentRows(const Summary& summary) {
  const Trace& trace = *summary.trace;
  if (trace.memory().empty()) return {};
  const EventTree tree(trace);
  const StepTable steps(tree);
  const StepFinder finder(tree, steps);
  std::vector<SegmentRow> rows;
  AddIncidents(trace, finder, rows);
  const std::vector<MemoryScript> scripts = MakeMemoryScripts(trace);
  for (const MemoryScript& script : scripts)
    AddRetries(trace, finder, script, rows);
  const size_t incidents = rows.size();
  for (const MemoryScript& script : scripts) {
    if (!IsOfDevice(trace.str(script.place))) continue;
    const memory::ReplayResult replay =
        memory::Replay(script.script, {script.settings, true});
    for (const memory::ForcedSegment& forced : replay.forced) {
      const memory::Op& op = script.script.ops[forced.op];
      const MemoryEvent event = trace.memory()[op.event];
      SegmentRow row;
      row.place = trace.str(script.place);
      row.what = "segment";
      row.name = OwnerName(trace, event.owner);
      row.line = LineOf(trace, event.owner);
      row.at_ns = event.time_ns;
      const uint32_t step = finder.Find(script.process, event.time_ns);
      if (step != StepFinder::kNone) row.step = step;
      row.asked_bytes = op.bytes;
      row.segment_bytes = forced.segment.bytes;
      row.free_bytes = forced.segment.free_bytes;
      row.largest_hole_bytes = forced.segment.largest_free;
      rows.push_back(row);
    }
  }
  std::stable_sort(rows.begin() + static_cast<std::ptrdiff_t>(incidents),
                   rows.end(), [](const SegmentRow& a, const SegmentRow& b) {
                     return a.free_bytes > b.free_bytes;
                   });
  return RowList::Own(std::move(rows));
}

}  // namespace

TableSchema DeclareMemorySegmentsTable() {
  ColumnsOf<SegmentRow> columns;
  columns.Text("name", "the operator or function that asked for memory",
               &SegmentRow::name);
  columns.Text("what",
               "segment: more was reserved; retry: segments were given back "
               "first, since the device had no more; out of memory: nothing "
               "was given",
               &SegmentRow::what);
  columns.Bytes("asked_bytes", Adds::kSum, "bytes that it asked for",
                &SegmentRow::asked_bytes);
  columns.Bytes("segment_bytes", Adds::kSum, "bytes that were reserved for it",
                &SegmentRow::segment_bytes);
  columns.Bytes("free_bytes", Adds::kNothing,
                "bytes that were free in its pool then, in holes",
                &SegmentRow::free_bytes);
  columns.Bytes("largest_hole_bytes", Adds::kNothing,
                "the largest of these holes", &SegmentRow::largest_hole_bytes);
  columns.Bytes("released_bytes", Adds::kSum,
                "bytes that were given back first, of a retry",
                &SegmentRow::released_bytes);
  columns.Time("took_ns", Adds::kSum,
               "from the first that was given back until there was memory, of "
               "a retry: the least that it took",
               &SegmentRow::took_ns);
  columns.Time("at_ns", "when it asked", &SegmentRow::at_ns);
  columns.Count("step", "in which step, counted from 0", &SegmentRow::step);
  columns.Text("line", "the innermost line of the program that is not torch's",
               [](const SegmentRow& row) { return TextOrNone(row.line); });
  columns.Text("place", "where the memory is",
               [](const SegmentRow& row) { return TextOrNone(row.place); });
  return {.key = "memory_segments",
          .title = "Segments and holes",
          .meaning = "which allocations forced the allocator to reserve more?",
          .columns = columns.Take(),
          .rows = SegmentRows};
}

}  // namespace stepscope
