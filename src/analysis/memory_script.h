// SPDX-License-Identifier: Apache-2.0
//
// MemoryScript: the memory events of one process and place, each allocation
// with its free, and as what memory/replay.h runs.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "memory/replay.h"
#include "trace/trace.h"

namespace stepscope {

// An allocation by the events that made and freed it, as indices of
// Trace::memory().
struct BlockLife {
  static constexpr uint32_t kNever = 0xffffffffu;
  uint32_t made = 0;
  uint32_t freed = kNever;
};

struct MemoryScript {
  uint32_t process = 0;
  StringId place;
  memory::AllocatorSettings settings;  // of the recording
  std::vector<BlockLife> allocations;  // by id of the script
  memory::Script script;
};

// Of the places whose events state addresses, in order of their first event.
std::vector<MemoryScript> MakeMemoryScripts(const Trace& trace);

// Whether a place is a device's, whose memory torch's caching allocator holds:
// that of the host comes from malloc.
bool IsOfDevice(std::string_view place);

// Whether the files are of memory alone, so that no operator has a duration.
bool IsOfMemoryAlone(const Trace& trace);

// Whether an event stands for what was there before the recording.
bool WasFound(const Trace& trace, const MemoryEvent& event);

// The innermost line of the program that an event states; empty: none.
std::string_view LineOf(const Trace& trace, Row row);

}  // namespace stepscope
