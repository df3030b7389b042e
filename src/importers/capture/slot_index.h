// SPDX-License-Identifier: Apache-2.0
//
// SlotIndex: from a position in the ring and the start of an event to the row
// that the slot became. A position is used again and again; its incarnations
// lie apart in time.
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
  // Its first event starts at `first_ns`; `last_row` is one past its last.
  void AddRun(const format::EventsHeader& header, int64_t first_ns,
              Row last_row, std::span<const Break> breaks);

  // Once, after the last run.
  void Seal();

  // The row in the slot at `position` for which `is_right(row)` holds (does
  // its event start at `start_ns`?), else kNoRow.
  template <typename Check>
  Row Find(uint32_t position, int64_t start_ns, Check is_right) const {
    // By its start this run or its neighbours: the events of a signal handler
    // may be out of order by a few.
    const size_t after = RunsUpTo(position, start_ns);
    for (size_t i = after + 1; i-- > 0 && i + 3 > after;) {
      const Row row = RowIn(i, position);
      if (row != kNoRow && is_right(row)) return row;
    }
    return kNoRow;
  }

 private:
  struct Run {
    uint32_t chunk;
    uint32_t first_slot;
    uint64_t incarnation;
    // Not the header's tick, which may be that of an end. An end is stored when
    // its thread comes to it, perhaps after another thread has been round the
    // ring; an event begins after its slot was taken.
    int64_t first_ns;
    Row last_row;
    size_t first_break;
    size_t break_count;
  };
  // How many runs lie before the one after that event.
  size_t RunsUpTo(uint32_t position, int64_t start_ns) const;
  Row RowIn(size_t run, uint32_t position) const;

  std::vector<Run> runs_;
  std::vector<Break> breaks_;
};

}  // namespace stepscope::capture
