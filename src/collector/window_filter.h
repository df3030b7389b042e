// SPDX-License-Identifier: Apache-2.0
//
// What of a capture belongs to the window that begins at some tick. Pure, on
// memory that the caller owns. Kept is what had not ended before: events that
// reach into the window and scopes that are still open, with their ends.
#pragma once

#include <stepscope/plugin.h>

#include <cstddef>
#include <cstdint>

#include "collector/late_ends.h"
#include "format/block.h"
#include "format/slot.h"

namespace stepscope::collector {

// The late ends of a run, as it stands in a chunk; `block` is where it stands
// in a file.
void CollectLateEnds(const format::Slot* slots, uint32_t count, LateEnds* ends,
                     uint64_t block = LateEnds::kNowhere);
// Its events that have no end.
void CollectOpenEvents(const format::Slot* slots, uint32_t count,
                       uint32_t first_position, uint64_t block, LateEnds* ends);

struct TickWindow {
  uint64_t from = 0;
  uint64_t until = UINT64_MAX;
};

// Clears the slots of a run that ended before the window, and those that began
// after it: scopes that were open at its end are open then. `first_position` is
// the SlotPosition of the first.
void KeepWindowSlots(format::Slot* slots, uint32_t count,
                     uint32_t first_position, const TickWindow& window,
                     const LateEnds& ends);

// Of device records.
struct DeviceWindow {
  uint64_t from = 0;
  uint64_t first_call = UINT64_MAX;  // lowest correlation of a kept call
  bool keep_counts = false;          // STATS and CLOCK, which come again
};

// The lowest correlation of a call in `records` that the window keeps.
uint64_t FirstKeptCall(const uint8_t* records, size_t bytes, uint64_t from);
// True if there are counts among them.
bool HasCounts(const uint8_t* records, size_t bytes);
// True if there are some that stay whatever the window is, or may.
bool HasTimeless(const uint8_t* records, size_t bytes);
// Moves the kept records together; returns their bytes and number. Records of
// unknown kinds, and what describes others, stay.
size_t KeepWindowRecords(uint8_t* records, size_t bytes,
                         const DeviceWindow& window, uint32_t* count);

}  // namespace stepscope::collector
