// SPDX-License-Identifier: Apache-2.0
//
// Fragmentation: the allocations for which the allocator had to reserve more
// although memory was free, in holes that were too small; and where memory was
// out. By a replay of the allocator.
#include <algorithm>

#include "analysis/memory_accounts.h"
#include "analysis/memory_retries.h"
#include "analysis/memory_script.h"
#include "analysis/out_of_memory.h"
#include "analysis/process_name.h"
#include "analysis/schema.h"
#include "analysis/step_finder.h"
#include "analysis/summary.h"
#include "analysis/tables/memory_columns.h"
#include "base/stable_sort.h"

namespace stepscope {
namespace {

struct SegmentRow {
  std::string process;
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

class SegmentTable {
 public:
  SegmentTable(const Trace& trace, const StepFinder& finder)
      : trace_(trace), finder_(finder) {}

  std::vector<SegmentRow> Rows() {
    AddIncidents();
    const std::vector<MemoryScript> scripts = MakeMemoryScripts(trace_);
    for (const MemoryScript& script : scripts) AddRetries(script);
    const auto incidents = static_cast<std::ptrdiff_t>(rows_.size());
    for (const MemoryScript& script : scripts) AddSegments(script);
    StableSort(rows_.begin() + incidents, rows_.end(),
               [](const SegmentRow& a, const SegmentRow& b) {
                 return a.free_bytes > b.free_bytes;
               });
    return std::move(rows_);
  }

 private:
  SegmentRow& Add(std::string_view what, uint32_t process, int64_t time_ns) {
    SegmentRow& row = rows_.emplace_back();
    row.what = what;
    row.process = NameAmongSeveral(trace_, process);
    row.at_ns = time_ns;
    const uint32_t step = finder_.Find(process, time_ns);
    if (step != StepFinder::kNone) row.step = step;
    return row;
  }
  // What an allocation asked for.
  SegmentRow& Add(std::string_view what, const MemoryScript& script,
                  const MemoryEvent& event) {
    SegmentRow& row = Add(what, script.process, event.time_ns);
    row.place = trace_.str(script.place);
    row.name = OwnerName(trace_, event.owner);
    row.line = LineOf(trace_, event.owner);
    row.asked_bytes = event.bytes - event.padding_bytes;
    return row;
  }

  // Events that a snapshot states; what they asked for is an argument.
  void AddIncidents() {
    for (const Row event : OutOfMemoryEvents(trace_)) {
      SegmentRow& row =
          Add(kOutOfMemoryName, trace_.tracks()[trace_.track()[event]].process,
              trace_.start_ns()[event]);
      row.line = LineOf(trace_, event);
      row.asked_bytes = AskedBytes(trace_, event);
      for (const Arg& arg : trace_.args_of(event))
        if (arg.kind == ArgKind::kText && trace_.str(arg.key) == "name")
          row.name = trace_.str(arg.text);
    }
  }

  void AddRetries(const MemoryScript& script) {
    for (const MemoryRetry& retry : FindMemoryRetries(trace_, script)) {
      SegmentRow& row = Add("retry", script, trace_.memory()[retry.event]);
      row.at_ns = retry.begin_ns;
      row.segment_bytes = retry.reserved_bytes;
      row.released_bytes = retry.released_bytes;
      row.took_ns = retry.took_ns;
    }
  }

  void AddSegments(const MemoryScript& script) {
    if (!IsOfDevice(trace_.str(script.place))) return;
    const memory::ReplayResult replay =
        memory::Replay(script.script, {script.settings, true});
    for (const memory::ForcedSegment& forced : replay.forced) {
      const memory::Op& op = script.script.ops[forced.op];
      SegmentRow& row = Add("segment", script, trace_.memory()[op.event]);
      row.segment_bytes = forced.segment.bytes;
      row.free_bytes = forced.segment.free_bytes;
      row.largest_hole_bytes = forced.segment.largest_free;
    }
  }

  const Trace& trace_;
  const StepFinder& finder_;
  std::vector<SegmentRow> rows_;
};

RowList SegmentRows(const Summary& summary) {
  const Trace& trace = *summary.trace;
  if (trace.memory().empty()) return {};
  const EventTree tree(trace);
  const StepFinder finder(tree, StepTable(tree));
  return RowList::Own(SegmentTable(trace, finder).Rows());
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
  columns.Moment("at_ns", "when it asked", &SegmentRow::at_ns);
  columns.Count("step", "in which step, counted from 0", &SegmentRow::step);
  columns.Text("line", "the innermost line of the program that is not torch's",
               [](const SegmentRow& row) { return TextOrNone(row.line); });
  columns.Text("place", "where the memory is",
               [](const SegmentRow& row) { return TextOrNone(row.place); });
  AddProcessColumn(columns, &SegmentRow::process);
  return {.key = "memory_segments",
          .title = "Segments and holes",
          .meaning = "which allocations forced the allocator to reserve more?",
          .columns = columns.Take(),
          .rows = SegmentRows};
}

}  // namespace stepscope
