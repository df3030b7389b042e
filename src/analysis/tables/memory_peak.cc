// SPDX-License-Identifier: Apache-2.0
//
// What was live when most was allocated, by who made it, from which line and
// for what. Adds up to the peak, to the byte.
#include <algorithm>
#include <map>
#include <tuple>

#include "analysis/memory_category.h"
#include "analysis/memory_script.h"
#include "analysis/schema.h"
#include "analysis/summary.h"
#include "analysis/tables/memory_life.h"

namespace stepscope {
namespace {

struct HeldRow {
  std::string_view place;
  std::string_view name;
  std::string_view line;
  std::string_view category;
  int64_t bytes = 0;
  uint64_t allocations = 0;
};

std::string_view OwnerName(const Trace& trace, const MemoryEvent& event) {
  return event.owner == kNoRow ? kOutsideName
                               : trace.str(trace.name()[event.owner]);
}

// The event after which most is allocated, by place.
std::map<uint32_t, size_t> PeakEvents(const Trace& trace) {
  const EventTree tree(trace);
  const StepTable steps(tree);
  std::map<uint32_t, size_t> peaks;
  for (const MemoryLife& life : ComputeMemoryLives(tree, steps))
    if (life.peak_event < trace.memory().size())
      peaks[trace.memory()[life.peak_event].place.v] = life.peak_event;
  return peaks;
}

RowList HeldRows(const Summary& summary) {
  const Trace& trace = *summary.trace;
  if (trace.memory().empty()) return {};
  std::map<uint32_t, size_t> peaks = PeakEvents(trace);
  MemoryCategories categories(trace);
  std::vector<HeldRow> rows;
  for (const MemoryScript& script : MakeMemoryScripts(trace)) {
    const auto peak = peaks.find(script.place.v);
    if (peak == peaks.end()) continue;
    std::map<std::tuple<std::string_view, std::string_view, std::string_view>,
             HeldRow>
        held;
    for (const BlockLife& allocation : script.allocations) {
      if (allocation.made > peak->second || allocation.freed <= peak->second)
        continue;
      const MemoryEvent made = trace.memory()[allocation.made];
      const std::string_view name = OwnerName(trace, made);
      const std::string_view line = LineOf(trace, made.owner);
      const std::string_view category =
          MemoryCategoryName(categories.Of(allocation));
      HeldRow& row = held[{name, line, category}];
      row.place = trace.str(script.place);
      row.name = name;
      row.line = line;
      row.category = category;
      row.bytes = SaturatingAdd(row.bytes, made.bytes);
      ++row.allocations;
    }
    for (const auto& [key, row] : held) rows.push_back(row);
  }
  std::stable_sort(
      rows.begin(), rows.end(),
      [](const HeldRow& a, const HeldRow& b) { return a.bytes > b.bytes; });
  return RowList::Own(std::move(rows));
}

}  // namespace

TableSchema DeclareMemoryPeakTable() {
  ColumnsOf<HeldRow> columns;
  columns.Text("name", "the operator or function that allocated it",
               &HeldRow::name);
  columns.Text("category",
               "concluded from where and when it was made and freed: "
               "parameters, gradients, optimizer state, activations, "
               "temporary, workspace or other",
               &HeldRow::category);
  columns.Bytes("bytes", Adds::kSum, "bytes not freed at the peak",
                &HeldRow::bytes);
  columns.Count("allocations", "allocations of these", &HeldRow::allocations);
  columns.Text("line", "the innermost line of the program that is not torch's",
               [](const HeldRow& row) { return TextOrNone(row.line); });
  columns.Text("place", "where the memory is", &HeldRow::place);
  return {.key = "memory_peak",
          .title = "Memory at the peak by line",
          .meaning = "which lines hold the memory at the peak, and for what?",
          .ranked = true,
          .columns = columns.Take(),
          .rows = HeldRows};
}

}  // namespace stepscope
