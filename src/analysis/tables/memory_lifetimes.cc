// SPDX-License-Identifier: Apache-2.0
//
// How long allocations live, by who made them and from which line.
#include <algorithm>
#include <map>

#include "analysis/memory_script.h"
#include "analysis/order_statistics.h"
#include "analysis/process_name.h"
#include "analysis/schema.h"
#include "analysis/summary.h"
#include "analysis/tables/memory_columns.h"
#include "base/stable_sort.h"
#include "trace/memory_levels.h"

namespace stepscope {
namespace {

struct LifetimeRow {
  std::string process;
  std::string_view place;
  std::string_view name;
  std::string_view line;
  uint64_t allocations = 0;
  int64_t bytes = 0;
  uint64_t kept = 0;
  int64_t kept_bytes = 0;
  std::optional<int64_t> median_ns;
  std::optional<int64_t> longest_ns;
  std::vector<int64_t> lives_ns;
};

RowList LifetimeRows(const Summary& summary) {
  const Trace& trace = *summary.trace;
  std::vector<LifetimeRow> rows;
  for (const MemoryScript& script : MakeMemoryScripts(trace)) {
    if (trace.str(script.place) == kMemoryLevelsPlace) continue;
    using Key = std::pair<std::string_view, std::string_view>;  // name, line
    std::map<Key, LifetimeRow> by_line;
    std::map<Row, LifetimeRow*> by_owner;
    for (const BlockLife& allocation : script.allocations) {
      const MemoryEvent made = trace.memory()[allocation.made];
      LifetimeRow*& of_owner = by_owner[made.owner];
      if (of_owner == nullptr)
        of_owner = &by_line[{made.owner == kNoRow
                                 ? kOutsideName
                                 : trace.str(trace.name()[made.owner]),
                             LineOf(trace, made.owner)}];
      LifetimeRow& row = *of_owner;
      ++row.allocations;
      row.bytes = SaturatingAdd(row.bytes, made.bytes);
      if (allocation.freed == BlockLife::kNever) {
        ++row.kept;
        row.kept_bytes = SaturatingAdd(row.kept_bytes, made.bytes);
      } else if (!WasFound(trace, made)) {
        row.lives_ns.push_back(SaturatingSubtract(
            trace.memory()[allocation.freed].time_ns, made.time_ns));
      }
    }
    for (auto& [key, row] : by_line) {
      row.process = NameAmongSeveral(trace, script.process);
      row.place = trace.str(script.place);
      row.name = key.first;
      row.line = key.second;
      if (!row.lives_ns.empty()) {
        row.median_ns = Median(row.lives_ns);
        row.longest_ns =
            *std::max_element(row.lives_ns.begin(), row.lives_ns.end());
        row.lives_ns = {};
      }
      rows.push_back(std::move(row));
    }
  }
  StableSort(rows.begin(), rows.end(),
             [](const LifetimeRow& a, const LifetimeRow& b) {
               return a.bytes > b.bytes;
             });
  return RowList::Own(std::move(rows));
}

}  // namespace

TableSchema DeclareMemoryLifetimesTable() {
  ColumnsOf<LifetimeRow> columns;
  columns.Text("name", "the operator or function that allocated it",
               &LifetimeRow::name);
  columns.Count("allocations", "allocations", &LifetimeRow::allocations);
  columns.Bytes("bytes", Adds::kSum, "bytes of all of them",
                &LifetimeRow::bytes);
  columns
      .Time("median_life_ns", "from the allocation to its free, median",
            &LifetimeRow::median_ns)
      .As("Median life");
  columns
      .Time("longest_life_ns", "the longest of them", &LifetimeRow::longest_ns)
      .As("Longest life");
  columns.Count("kept", "allocations that were never freed", &LifetimeRow::kept)
      .As("Allocations kept");
  columns.Bytes("kept_bytes", Adds::kSum, "bytes that were never freed",
                &LifetimeRow::kept_bytes);
  columns.Text("line", "the innermost line of the program that is not torch's",
               [](const LifetimeRow& row) { return TextOrNone(row.line); });
  columns.Text("place", "where the memory is", &LifetimeRow::place);
  AddProcessColumn(columns, &LifetimeRow::process);
  return {.key = "memory_lifetimes",
          .title = "Lifetimes of memory",
          .meaning = "how long do allocations live?",
          .ranked = true,
          .columns = columns.Take(),
          .rows = LifetimeRows};
}

}  // namespace stepscope
