// SPDX-License-Identifier: Apache-2.0
//
// Host memory of a process, from the counter that profile_memory records at
// each step: how much at most, and whether it grows with every step. Who
// allocated it is not known.
#pragma once

#include <vector>

#include "analysis/tables/memory.h"

namespace stepscope {

// One for each process that has the counter: sampled at each step, or more
// often.
std::vector<MemoryPlace> ComputeProcessMemory(const EventTree& tree,
                                              const StepTable& steps);

}  // namespace stepscope
