// SPDX-License-Identifier: Apache-2.0
//
// SlotIndex: from a SlotRef (position in the ring, begin tick) to the row that
// the slot became. A position is used again and again; its incarnations lie
// apart in time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "format/block.h"
#include "format/slot.h"
#include "trace/trace.h"

namespace stepscope::capture {

class SlotIndex {
 public:
  // The event in `slot` is `row`, the slots behind it are the rows behind it.
  struct Break {
    uint32_t slot;
    Row row;
  };

  // A run of slots, by its events that do not directly follow the one before.
  // `last_row` is one past its last event.
  void AddRun(const format::EventsHeader& header, Row last_row,
              std::span<const Break> breaks);

  // Once, after the last run.
  void Seal();

  // The row of `ref` for which `is_right(row)` holds (does its event begin
  // when it should?), else kNoRow.
  template <typename Check>
  Row Find(const format::SlotRef& ref, Check is_right) const {
    // By begin tick this run or its neighbours: the events of a signal
    // handler may be out of order by a few.
    const size_t after = RunsUpTo(ref);
    for (size_t i = after + 1; i-- > 0 && i + 3 > after;) {
      const Row row = RowIn(i, ref);
      if (row != kNoRow && is_right(row)) return row;
    }
    return kNoRow;
  }

 private:
  struct Run {
    uint32_t chunk;
    uint32_t first_slot;
    uint64_t incarnation;
    uint64_t first_tick;
    Row last_row;
    size_t first_break;
    size_t break_count;
  };
  // How many runs lie before the one after `ref`.
  size_t RunsUpTo(const format::SlotRef& ref) const;
  Row RowIn(size_t run, const format::SlotRef& ref) const;

  std::vector<Run> runs_;
  std::vector<Break> breaks_;
};

}  // namespace stepscope::capture
