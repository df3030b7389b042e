// SPDX-License-Identifier: Apache-2.0
#include "collector/late_ends.h"

#include <cstring>

namespace stepscope::collector {

void LateEnds::Clear() {
  if (used_ != 0) std::memset(entries_, 0, sizeof(entries_));
  used_ = 0;
  forgotten_end_ = forgotten_block_ = 0;
}

uint32_t LateEnds::HashOf(uint32_t position, uint64_t begin) {
  const uint64_t mixed =
      (begin ^ (uint64_t{position} << 32)) * 0x9e3779b97f4a7c15u;
  return static_cast<uint32_t>(mixed >> 48) % kEntries;
}

const LateEnds::Entry* LateEnds::Find(uint32_t position, uint64_t begin) const {
  if (used_ == 0) return nullptr;
  const uint32_t home = HashOf(position, begin);
  for (uint32_t i = 0; i < kProbes; ++i) {
    const Entry& entry = entries_[(home + i) % kEntries];
    if (entry.begin == 0) return nullptr;
    if (entry.begin == begin && entry.position == position) return &entry;
  }
  return nullptr;
}

// Entries are overwritten and never taken out, so that a probe may end at the
// first unused one.
LateEnds::Entry* LateEnds::Take(uint32_t position, uint64_t begin) {
  const uint32_t home = HashOf(position, begin);
  Entry* oldest = nullptr;
  for (uint32_t i = 0; i < kProbes; ++i) {
    Entry& entry = entries_[(home + i) % kEntries];
    if (entry.begin == begin && entry.position == position) return &entry;
    if (entry.begin == 0) {
      ++used_;
      entry = {begin, 0, kNowhere, position, false, false};
      return &entry;
    }
    if (entry.has_begin && entry.end != 0 &&
        (oldest == nullptr || entry.end < oldest->end))
      oldest = &entry;
  }
  if (oldest == nullptr) {
    forgotten_block_ = UINT64_MAX;
    return nullptr;
  }
  if (oldest->end > forgotten_end_) forgotten_end_ = oldest->end;
  if (oldest->block > forgotten_block_) forgotten_block_ = oldest->block;
  *oldest = {begin, 0, kNowhere, position, false, false};
  return oldest;
}

void LateEnds::AddBegin(uint32_t position, uint64_t begin, uint64_t block) {
  Entry* entry = Take(position, begin);
  if (entry == nullptr) return;
  entry->block = block;
  entry->has_begin = true;
}

void LateEnds::Add(const format::SlotRef& ref, uint64_t end_tick,
                   uint64_t block) {
  if (ref.begin == 0) return;
  Entry* entry = Take(ref.position, ref.begin);
  if (entry == nullptr) return;
  entry->end = end_tick;
  if (!entry->has_begin) entry->block = block;
}

bool LateEnds::EndedBefore(uint32_t position, uint64_t begin,
                           uint64_t tick) const {
  const Entry* entry = Find(position, begin);
  if (entry != nullptr && entry->end != 0)
    return entry->end < tick && !entry->stays;
  return others_ != nullptr && others_->EndedBefore(position, begin, tick);
}

}  // namespace stepscope::collector
