// SPDX-License-Identifier: Apache-2.0
//
// Ends that are records of their own (docs/decisions/0006), and the events of a
// capture that had no end when they were written: what a window must know of
// the blocks before it. Bounded: an event that ended long ago is forgotten when
// there is no room, and what finds no room at all is not known; `forgotten`
// says for which windows that matters.
#pragma once

#include <cstdint>

#include "format/slot.h"

namespace stepscope::collector {

class LateEnds {
 public:
  static constexpr uint32_t kEntries = 1u << 16;
  static constexpr uint64_t kNowhere = UINT64_MAX;

  struct Entry {
    uint64_t begin;  // 0: unused
    uint64_t end;    // 0: none yet
    uint64_t block;  // offset of the block of the event, or else of its end
    uint32_t position;
    bool has_begin;
    bool stays;  // its event is not in the file yet
  };

  void Clear();
  // An event without an end is in the block at `block`.
  void AddBegin(uint32_t position, uint64_t begin, uint64_t block);
  void Add(const format::SlotRef& ref, uint64_t end_tick,
           uint64_t block = kNowhere);
  // True if that event is known to have ended before `tick`.
  bool EndedBefore(uint32_t position, uint64_t begin, uint64_t tick) const;
  // A second place to look for ends, or null.
  void set_others(const LateEnds* others) { others_ = others; }

  // Calls `visit(entry)` for each.
  template <typename Visit>
  void ForEach(Visit visit) {
    for (uint32_t i = 0; used_ != 0 && i < kEntries; ++i)
      if (entries_[i].begin != 0) visit(entries_[i]);
  }

  // Whether a window from tick `from`, looked for from byte `start` of the file
  // on, needs something that was forgotten.
  bool Forgot(uint64_t from, uint64_t start) const {
    return from <= forgotten_end_ || start <= forgotten_block_;
  }

 private:
  static uint32_t HashOf(uint32_t position, uint64_t begin);
  const Entry* Find(uint32_t position, uint64_t begin) const;
  // The entry of that event, made if need be; null: no room.
  Entry* Take(uint32_t position, uint64_t begin);
  static constexpr uint32_t kProbes = 64;

  uint32_t used_ = 0;
  uint64_t forgotten_end_ = 0;
  uint64_t forgotten_block_ = 0;
  const LateEnds* others_ = nullptr;
  Entry entries_[kEntries] = {};
};

}  // namespace stepscope::collector
