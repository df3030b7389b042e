// SPDX-License-Identifier: Apache-2.0
//
// SlotIndex: from a SlotRef (position in the ring, begin tick) to the row that
// the slot became. A position is used again and again; its incarnations lie
// apart in time.
#pragma once

#include <cstdint>
#include <vector>

#include "format/slot.h"
#include "trace/trace.h"

namespace stepscope::capture {

class SlotIndex {
 public:
  // A run of slots is told between BeginRun and EndRun; of its events, only
  // those that do not directly follow the one before.
  void BeginRun(uint32_t chunk, uint64_t incarnation, uint32_t first_slot);
  void AddBreak(uint32_t slot, Row row) { breaks_.push_back({slot, row}); }
  // `last_slot` is that of the last event, `ticks` the bounds of begin ticks.
  void EndRun(uint32_t last_slot, uint64_t min_tick, uint64_t max_tick);

  // Once, after the last run.
  void Seal();

  // The row, to be checked by the caller against the begin time; else kNoRow.
  Row Find(const format::SlotRef& ref) const;

 private:
  struct Break {
    uint32_t slot;
    Row row;
  };
  struct Run {
    uint32_t chunk;
    uint32_t first_slot;
    uint64_t incarnation;
    uint64_t min_tick;
    uint64_t max_tick;
    uint32_t last_slot;
    uint32_t break_count;
    size_t first_break;
  };
  std::vector<Run> runs_;
  std::vector<Break> breaks_;
};

}  // namespace stepscope::capture
