// SPDX-License-Identifier: Apache-2.0
//
// MemorySums: what is allocated and reserved in one place, event by event, and
// at most. The largest totals that the allocator stated or, where it stated
// none, those of what was recorded. Every figure of a peak comes from here.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "analysis/interval.h"
#include "trace/trace.h"

namespace stepscope {

class MemorySums {
 public:
  // `index`: of Trace::memory().
  void Add(const MemoryEvent& event, size_t index) {
    const bool reserved = event.kind == MemoryKind::kReservedAllocate ||
                          event.kind == MemoryKind::kReservedFree;
    const bool frees = event.kind == MemoryKind::kFree ||
                       event.kind == MemoryKind::kReservedFree;
    Sum& sum = reserved ? reserved_ : allocated_;
    const int64_t bytes = Magnitude(event.bytes);
    sum.now = frees ? SaturatingSubtract(sum.now, bytes)
                    : SaturatingAdd(sum.now, bytes);
    if (sum.now > sum.peak) {
      sum.peak = sum.now;
      sum.peak_event = index;
    }
    allocated_.AddStated(event.total_allocated);
    reserved_.AddStated(event.total_reserved);
  }

  int64_t peak_allocated() const { return allocated_.Most(); }
  int64_t peak_reserved() const { return reserved_.Most(); }
  // Where the sum of the allocations is largest; SIZE_MAX: there are none.
  size_t peak_event() const { return allocated_.peak_event; }

 private:
  struct Sum {
    int64_t now = 0;
    int64_t peak = 0;
    int64_t stated = 0;
    size_t peak_event = SIZE_MAX;

    void AddStated(uint64_t total) {
      stated = std::max(
          stated, static_cast<int64_t>(std::min<uint64_t>(total, INT64_MAX)));
    }
    int64_t Most() const { return stated > 0 ? stated : peak; }
  };

  Sum allocated_;
  Sum reserved_;
};

// Of each process and place in a list of what has them.
template <typename Of>
std::vector<MemorySums> SumsOf(const Trace& trace, const std::vector<Of>& all) {
  std::map<std::pair<uint32_t, uint32_t>, size_t> slots;
  for (size_t i = 0; i < all.size(); ++i)
    slots[{all[i].process, all[i].place.v}] = i;
  std::vector<MemorySums> sums(all.size());
  const MemoryTable& events = trace.memory();
  for (size_t i = 0; i < events.size(); ++i) {
    const StoredMemoryEvent& event = events.stored()[i];
    const auto slot =
        slots.find({trace.tracks()[event.track].process, event.place.v});
    if (slot != slots.end()) sums[slot->second].Add(events[i], i);
  }
  return sums;
}

}  // namespace stepscope
