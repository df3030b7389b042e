// SPDX-License-Identifier: Apache-2.0
//
// What a change of the program would make of its recorded allocations and
// frees. The allocator's replay then says what that means.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/memory_category.h"
#include "analysis/memory_script.h"
#include "analysis/replay/module_calls.h"
#include "analysis/step_finder.h"

namespace stepscope {

// What a change is made of: a recording, and what is concluded from it.
struct RecordedMemory {
  const EventTree& tree;
  const StepFinder& finder;
  const MemoryScript& script;
  MemoryCategories& categories;
};

// What is computed a second time, over the whole recording.
struct MadeAgain {
  uint64_t calls = 0;
  uint64_t steps = 0;         // in which they are
  int64_t host_ns = 0;        // that they took
  int64_t device_ns = 0;      // of the work that they launched
  int64_t dropped_bytes = 0;  // that the calls kept for the backward pass
};

// Activation checkpointing: what a call keeps for the backward pass is freed
// when it returns, but for what it made last, which is its result; in the
// backward pass, before the first of it is needed, all of the call is done once
// more. `ops` is the script's, or that with other sizes. Calls of which nothing
// is kept stay as they are.
MadeAgain Checkpoint(const RecordedMemory& recorded, const ModuleCalls& calls,
                     memory::Script& ops);

struct FreedEarly {
  uint64_t allocations = 0;
  int64_t bytes = 0;  // of all of them
};

// What a step made and the next one freed is freed when the first ends:
// gradients that the optimizer has used, and what modules returned. Whether the
// program reads it in between is not recorded.
FreedEarly FreeEarly(const RecordedMemory& recorded, memory::Script& ops);

}  // namespace stepscope
