// SPDX-License-Identifier: Apache-2.0
#include "importers/capture/slot_index.h"

#include <algorithm>
#include <tuple>

namespace stepscope::capture {

void SlotIndex::BeginRun(uint32_t chunk, uint64_t incarnation,
                         uint32_t first_slot) {
  Run run = {};
  run.chunk = chunk;
  run.incarnation = incarnation;
  run.first_slot = first_slot;
  run.first_break = breaks_.size();
  runs_.push_back(run);
}

void SlotIndex::EndRun(uint32_t last_slot, uint64_t min_tick,
                       uint64_t max_tick) {
  Run& run = runs_.back();
  run.break_count = static_cast<uint32_t>(breaks_.size() - run.first_break);
  if (run.break_count == 0) {
    runs_.pop_back();
    return;
  }
  run.last_slot = last_slot;
  run.min_tick = min_tick;
  run.max_tick = max_tick;
}

// By chunk, then time: runs of one chunk follow one another.
void SlotIndex::Seal() {
  std::sort(runs_.begin(), runs_.end(), [](const Run& a, const Run& b) {
    return std::tie(a.chunk, a.incarnation, a.first_slot) <
           std::tie(b.chunk, b.incarnation, b.first_slot);
  });
}

Row SlotIndex::Find(const format::SlotRef& ref) const {
  const uint32_t chunk = ref.position / 4096;
  const uint32_t slot = ref.position % 4096;
  // The last run of the chunk that began no later than the event. A signal
  // handler's events may be out of order by a few, so the run before is tried
  // as well.
  auto run = std::partition_point(
      runs_.begin(), runs_.end(), [&](const Run& r) {
        return std::tie(r.chunk, r.min_tick) <= std::tie(chunk, ref.begin);
      });
  for (int tries = 0; tries < 2 && run != runs_.begin(); ++tries) {
    --run;
    if (run->chunk != chunk) break;
    if (slot < run->first_slot || slot > run->last_slot ||
        ref.begin < run->min_tick || ref.begin > run->max_tick)
      continue;
    const Break* const first = breaks_.data() + run->first_break;
    const Break* const last = first + run->break_count;
    const Break* const after = std::upper_bound(
        first, last, slot, [](uint32_t s, const Break& b) { return s < b.slot; });
    if (after == first) continue;
    const Break& from = *(after - 1);
    const uint32_t ahead = slot - from.slot;
    // Slots between the last event before the next break and that break are
    // not events.
    if (after != last && ahead >= after->row - from.row) continue;
    return from.row + ahead;
  }
  return kNoRow;
}

}  // namespace stepscope::capture
