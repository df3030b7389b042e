// SPDX-License-Identifier: Apache-2.0
#include "analysis/tables/memory.h"

#include <algorithm>
#include <charconv>

#include "analysis/flat_map.h"
#include "analysis/memory_sums.h"
#include "analysis/tables/accountable.h"
#include "analysis/tables/process_memory.h"
#include "analysis/tables/rows.h"
#include "trace/stated_peaks.h"

namespace stepscope {
namespace {

// The largest of all processes.
std::optional<int64_t> StatedPeak(const Trace& trace, std::string_view key,
                                  std::string_view place) {
  std::optional<int64_t> peak;
  for (const Process& process : trace.processes()) {
    for (const auto& [name, value] : process.metadata) {
      const std::string_view full = trace.str(name);
      if (full.size() != key.size() + place.size() || !full.starts_with(key) ||
          !full.ends_with(place))
        continue;
      const std::string_view text = trace.str(value);
      int64_t bytes = 0;
      const auto [end, error] =
          std::from_chars(text.data(), text.data() + text.size(), bytes);
      if (error == std::errc() && end == text.data() + text.size() &&
          bytes >= 0)
        peak = std::max(peak.value_or(0), bytes);
    }
  }
  return peak;
}

}  // namespace

std::vector<MemoryPlace> ComputeMemory(const EventTree& tree,
                                       const StepTable& steps) {
  const Trace& trace = tree.trace();
  std::vector<MemoryPlace> places;
  std::vector<MemorySums> sums;
  FlatMap place_slots;
  FlatMap row_slots;                 // of (place, reserved, name)
  std::vector<size_t> row_in_place;  // by slot
  Accountable accountable(tree);
  for (size_t i = 0; i < trace.memory().size(); ++i) {
    const MemoryEvent event = trace.memory()[i];
    size_t at = place_slots.Insert(event.place.v);
    if (at == FlatMap::kNew) {
      at = places.size();
      places.emplace_back().place = trace.str(event.place);
      sums.emplace_back();
    }
    const bool reserved = event.kind == MemoryKind::kReservedAllocate ||
                          event.kind == MemoryKind::kReservedFree;
    const bool frees = event.kind == MemoryKind::kFree ||
                       event.kind == MemoryKind::kReservedFree;
    const StringId name = accountable.NameOf(event.owner);
    std::vector<MemoryRow>& rows = places[at].rows;
    // At most 2^31 places: each has a name of its own.
    uint32_t slot = row_slots.Insert(uint64_t{at} << 33 |
                                     uint64_t{reserved} << 32 | name.v);
    if (slot == FlatMap::kNew) {
      slot = row_slots.size() - 1;
      row_in_place.push_back(rows.size());
      rows.push_back({name == kOutsideId ? kOutsideName : trace.str(name),
                      reserved, 0, 0, 0, 0});
    }
    MemoryRow& row = rows[row_in_place[slot]];
    const int64_t bytes = Magnitude(event.bytes);
    ++(frees ? row.frees : row.allocations);
    int64_t& sum = frees ? row.freed_bytes : row.allocated_bytes;
    sum = SaturatingAdd(sum, bytes);
    sums[at].Add(event, i);
  }
  for (size_t i = 0; i < places.size(); ++i) {
    places[i].peak_allocated_bytes = sums[i].peak_allocated();
    places[i].peak_reserved_bytes = sums[i].peak_reserved();
    std::stable_sort(places[i].rows.begin(), places[i].rows.end(),
                     [](const MemoryRow& a, const MemoryRow& b) {
                       if (a.reserved != b.reserved) return b.reserved;
                       return a.increase_bytes() > b.increase_bytes();
                     });
  }
  for (MemoryPlace& place : places) {
    place.stated_peak_allocated_bytes =
        StatedPeak(trace, kPeakAllocatedKey, place.place);
    place.stated_peak_reserved_bytes =
        StatedPeak(trace, kPeakReservedKey, place.place);
  }
  std::vector<MemoryLife> lives = ComputeMemoryLives(tree, steps);
  for (size_t i = 0; i < places.size(); ++i) {
    places[i].life = std::move(lives[i]);
  }
  for (MemoryPlace& place : ComputeProcessMemory(tree, steps))
    places.push_back(std::move(place));
  return places;
}

}  // namespace stepscope
