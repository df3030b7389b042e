// SPDX-License-Identifier: Apache-2.0
//
// Memory table: allocations by process and place and by the event that made
// them. Phases of an operator and API calls count for the event around them;
// each memory event counts once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/event_tree.h"
#include "analysis/tables/memory_life.h"

namespace stepscope {

struct MemoryRow {
  std::string_view name;
  bool reserved = false;  // by the allocator from the device; else by users
  uint64_t allocations = 0;
  uint64_t frees = 0;
  int64_t allocated_bytes = 0;
  int64_t freed_bytes = 0;
  int64_t increase_bytes() const {
    return SaturatingSubtract(allocated_bytes, freed_bytes);
  }
};

struct MemoryPlace {
  std::string_view place;  // "Place(gpu:0)"
  uint32_t process = 0;
  std::string process_name;  // as NameAmongSeveral() has it
  int64_t peak_allocated_bytes = 0;
  int64_t peak_reserved_bytes = 0;
  // Of the process's life so far, as its recorder stated it; they may lie
  // before the window.
  std::optional<int64_t> stated_peak_allocated_bytes;
  std::optional<int64_t> stated_peak_reserved_bytes;
  std::vector<MemoryRow> rows;  // allocated, then reserved, by increase
  MemoryLife life;
};

// Each place of each process, in order of their first event, then the host
// memory of processes that have a counter of it. Peaks are the largest totals
// that the allocator stated or, where it stated none, of the sum of what was
// recorded.
std::vector<MemoryPlace> ComputeMemory(const EventTree& tree,
                                       const StepTable& steps);

}  // namespace stepscope
