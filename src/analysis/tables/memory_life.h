// SPDX-License-Identifier: Apache-2.0
//
// Who held the memory when most was in use, and who takes more in every step
// and never gives it back. Allocations are matched with frees by place and
// address.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analysis/event_tree.h"
#include "analysis/memory_sums.h"
#include "analysis/steps.h"

namespace stepscope {

// Memory that one event's allocations held at the peak.
struct LiveRow {
  std::string_view name;
  int64_t bytes = 0;
  uint64_t allocations = 0;
};

// Allocations of one event that were never freed: some in every step but,
// perhaps, the first (which sets things up) and the last (not over yet).
struct LeakRow {
  std::string_view name;
  int64_t bytes = 0;  // of the steps between, together
  uint64_t allocations = 0;
  uint64_t steps = 0;
  Row example = kNoRow;   // the event that allocated most of it at once, if any
  std::string_view line;  // from which that was asked for
};

struct MemoryLife {
  int64_t peak_at_ns = 0;             // when most was allocated
  size_t peak_event = SIZE_MAX;       // of Trace::memory(), which made it so
  std::vector<LiveRow> live_at_peak;  // by size
  // Of the stated total at the peak, what was allocated before the recording.
  int64_t before_bytes = 0;
  std::vector<LeakRow> leaks;  // by size
};

// Of each place, of which `places` has the peaks. Leaks are looked for with
// four steps or more.
std::vector<MemoryLife> ComputeMemoryLives(
    const EventTree& tree, const StepTable& steps,
    const std::vector<MemoryOfPlace>& places);

}  // namespace stepscope
