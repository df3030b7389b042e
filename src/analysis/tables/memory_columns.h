// SPDX-License-Identifier: Apache-2.0
//
// Columns of the rows of a place's memory, and whose it is.
#pragma once

#include <string>
#include <string_view>

#include "analysis/schema.h"
#include "analysis/tables/memory.h"

namespace stepscope {

// Of rows that several ranks have: their peaks are at different times, so that
// each has its own row. `name`: as NameAmongSeveral() has it.
template <typename Row>
void AddProcessColumn(ColumnsOf<Row>& columns, std::string Row::*name) {
  columns
      .Text("process",
            "the rank, or else the file or the process, where there are "
            "several",
            [name](const Row& row) { return TextOrNone(row.*name); })
      .OnlyIfAny()
      .TellsApart();
}

inline ColumnsOf<MemoryRow> MemoryRowColumns() {
  ColumnsOf<MemoryRow> columns;
  columns.Text("name", "the event that allocated or freed", &MemoryRow::name);
  columns.Text(
      "type", "Allocated by the program, or Reserved by its allocator",
      [](const MemoryRow& row) {
        return std::string_view(row.reserved ? "Reserved" : "Allocated");
      });
  columns.Count("allocation_count", "allocations", &MemoryRow::allocations)
      .As("Allocations");
  columns.Count("free_count", "frees", &MemoryRow::frees).As("Frees");
  columns
      .Bytes("allocation_bytes", Adds::kSum, "bytes of the allocations",
             &MemoryRow::allocated_bytes)
      .As("Allocated");
  columns
      .Bytes("free_bytes", Adds::kSum, "bytes of the frees",
             &MemoryRow::freed_bytes)
      .As("Freed");
  columns.Bytes("increase_bytes", Adds::kSum, "allocated less freed",
                &MemoryRow::increase_bytes);
  return columns;
}

inline ColumnsOf<LiveRow> LiveRowColumns() {
  ColumnsOf<LiveRow> columns;
  columns.Text("name", "the event that allocated it", &LiveRow::name);
  columns.Bytes("bytes", Adds::kSum, "bytes not freed at the peak",
                &LiveRow::bytes);
  columns.Count("allocations", "allocations of these", &LiveRow::allocations);
  return columns;
}

}  // namespace stepscope
