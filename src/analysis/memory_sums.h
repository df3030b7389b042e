// SPDX-License-Identifier: Apache-2.0
//
// MemorySums: what a process has allocated and reserved in one place, event by
// event, and at most. The largest totals that the allocator stated or, where it
// stated none, those of what was recorded. Every figure of a peak comes from
// here, and so does the event that made it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/flat_map.h"
#include "analysis/interval.h"
#include "trace/trace.h"

namespace stepscope {

class MemorySums {
 public:
  // `index`: of Trace::memory(). `may_be_peak`: whether its time counts.
  void Add(const MemoryEvent& event, size_t index, bool may_be_peak) {
    const bool reserved = event.kind == MemoryKind::kReservedAllocate ||
                          event.kind == MemoryKind::kReservedFree;
    const bool frees = event.kind == MemoryKind::kFree ||
                       event.kind == MemoryKind::kReservedFree;
    Sum& sum = reserved ? reserved_ : allocated_;
    const int64_t bytes = Magnitude(event.bytes);
    sum.now = frees ? SaturatingSubtract(sum.now, bytes)
                    : SaturatingAdd(sum.now, bytes);
    if (!may_be_peak) return;
    sum.recorded.Raise(sum.now, index);
    allocated_.stated.Raise(Total(event.total_allocated), index);
    reserved_.stated.Raise(Total(event.total_reserved), index);
  }

  int64_t peak_allocated() const { return allocated_.most().bytes; }
  int64_t peak_reserved() const { return reserved_.most().bytes; }
  // That made the peak of what is allocated; SIZE_MAX: there is none.
  size_t peak_event() const { return allocated_.most().event; }

 private:
  struct Peak {
    int64_t bytes = 0;
    size_t event = SIZE_MAX;

    void Raise(int64_t now, size_t index) {
      if (now > bytes) *this = {now, index};
    }
  };
  struct Sum {
    int64_t now = 0;
    Peak recorded;
    Peak stated;

    const Peak& most() const { return stated.bytes > 0 ? stated : recorded; }
  };

  static int64_t Total(uint64_t stated) {
    return static_cast<int64_t>(std::min<uint64_t>(stated, INT64_MAX));
  }

  Sum allocated_;
  Sum reserved_;
};

// Each process has its own allocators, and its own peak: those of several ranks
// are at different times, and do not add up.
struct MemoryOfPlace {
  uint32_t process = 0;
  StringId place;
  MemorySums sums;
};

inline uint64_t KeyOfMemory(uint32_t process, StringId place) {
  return uint64_t{process} << 32 | place.v;
}

// In order of their first event. `peaks_in`: peaks are looked for in this range
// of times only.
inline std::vector<MemoryOfPlace> SumMemory(
    const Trace& trace,
    const std::optional<Interval>& peaks_in = std::nullopt) {
  std::vector<MemoryOfPlace> all;
  FlatMap slots;
  const MemoryTable& events = trace.memory();
  for (size_t i = 0; i < events.size(); ++i) {
    const MemoryEvent event = events[i];
    const uint32_t process = trace.tracks()[event.track].process;
    uint32_t slot = slots.Insert(KeyOfMemory(process, event.place));
    if (slot == FlatMap::kNew) {
      slot = slots.size() - 1;
      all.push_back({process, event.place, {}});
    }
    all[slot].sums.Add(event, i,
                       !peaks_in || (event.time_ns >= peaks_in->begin &&
                                     event.time_ns < peaks_in->end));
  }
  return all;
}

// Of each process and place in a list of what has them.
template <typename Of>
std::vector<MemorySums> SumsOf(const Trace& trace, const std::vector<Of>& all) {
  const std::vector<MemoryOfPlace> places = SumMemory(trace);
  std::vector<MemorySums> sums(all.size());
  for (size_t i = 0; i < all.size(); ++i)
    for (const MemoryOfPlace& one : places)
      if (one.process == all[i].process && one.place == all[i].place)
        sums[i] = one.sums;
  return sums;
}

}  // namespace stepscope
