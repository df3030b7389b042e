// SPDX-License-Identifier: Apache-2.0
//
// MemoryRows: what each event allocated and freed of one place, event by event.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "analysis/flat_map.h"
#include "analysis/tables/accountable.h"
#include "analysis/tables/memory.h"
#include "analysis/tables/rows.h"
#include "base/stable_sort.h"

namespace stepscope {

class MemoryRows {
 public:
  // `name`: of who is accountable.
  void Add(const Trace& trace, const MemoryEvent& event, StringId name) {
    const bool reserved = event.kind == MemoryKind::kReservedAllocate ||
                          event.kind == MemoryKind::kReservedFree;
    const bool frees = event.kind == MemoryKind::kFree ||
                       event.kind == MemoryKind::kReservedFree;
    uint32_t slot = slots_.Insert(uint64_t{reserved} << 32 | name.v);
    if (slot == FlatMap::kNew) {
      slot = slots_.size() - 1;
      rows_.push_back({name == kOutsideId ? kOutsideName : trace.str(name),
                       reserved, 0, 0, 0, 0});
    }
    MemoryRow& row = rows_[slot];
    ++(frees ? row.frees : row.allocations);
    int64_t& sum = frees ? row.freed_bytes : row.allocated_bytes;
    sum = SaturatingAdd(sum, Magnitude(event.bytes));
  }

  // Allocated, then reserved, by increase.
  std::vector<MemoryRow> Take() {
    StableSort(rows_.begin(), rows_.end(),
               [](const MemoryRow& a, const MemoryRow& b) {
                 if (a.reserved != b.reserved) return b.reserved;
                 return a.increase_bytes() > b.increase_bytes();
               });
    return std::move(rows_);
  }

 private:
  FlatMap slots_;
  std::vector<MemoryRow> rows_;
};

}  // namespace stepscope
