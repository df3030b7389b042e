// SPDX-License-Identifier: Apache-2.0
#include "analysis/tables/memory.h"

#include <algorithm>
#include <charconv>

#include "analysis/flat_map.h"
#include "analysis/memory_sums.h"
#include "analysis/process_name.h"
#include "analysis/tables/accountable.h"
#include "analysis/tables/memory_rows.h"
#include "analysis/tables/process_memory.h"
#include "trace/stated_peaks.h"

namespace stepscope {
namespace {

std::optional<int64_t> StatedPeak(const Trace& trace, uint32_t process,
                                  std::string_view key,
                                  std::string_view place) {
  std::optional<int64_t> peak;
  for (const auto& [name, value] : trace.processes()[process].metadata) {
    const std::string_view full = trace.str(name);
    if (full.size() != key.size() + place.size() || !full.starts_with(key) ||
        !full.ends_with(place))
      continue;
    const std::string_view text = trace.str(value);
    int64_t bytes = 0;
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), bytes);
    if (error == std::errc() && end == text.data() + text.size() && bytes >= 0)
      peak = std::max(peak.value_or(0), bytes);
  }
  return peak;
}

}  // namespace

std::vector<MemoryPlace> ComputeMemory(const EventTree& tree,
                                       const StepTable& steps) {
  const Trace& trace = tree.trace();
  const std::vector<MemoryOfPlace> sums = SumMemory(trace);
  std::vector<MemoryPlace> places(sums.size());
  std::vector<MemoryRows> rows(sums.size());
  FlatMap slots;
  for (const MemoryOfPlace& one : sums)
    slots.Insert(KeyOfMemory(one.process, one.place));
  Accountable accountable(tree);
  for (const MemoryEvent& event : trace.memory()) {
    const uint32_t process = trace.tracks()[event.track].process;
    rows[slots.Find(KeyOfMemory(process, event.place))].Add(
        trace, event, accountable.NameOf(event.owner));
  }
  std::vector<MemoryLife> lives = ComputeMemoryLives(tree, steps, sums);
  for (size_t i = 0; i < places.size(); ++i) {
    MemoryPlace& place = places[i];
    place.process = sums[i].process;
    place.process_name = NameAmongSeveral(trace, place.process);
    place.place = trace.str(sums[i].place);
    place.peak_allocated_bytes = sums[i].sums.peak_allocated();
    place.peak_reserved_bytes = sums[i].sums.peak_reserved();
    place.stated_peak_allocated_bytes =
        StatedPeak(trace, place.process, kPeakAllocatedKey, place.place);
    place.stated_peak_reserved_bytes =
        StatedPeak(trace, place.process, kPeakReservedKey, place.place);
    place.life = std::move(lives[i]);
    place.rows = rows[i].Take();
  }
  for (MemoryPlace& place : ComputeProcessMemory(tree, steps))
    places.push_back(std::move(place));
  return places;
}

}  // namespace stepscope
