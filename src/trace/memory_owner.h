// SPDX-License-Identifier: Apache-2.0
//
// Whose event was running when memory was taken or given back.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trace/trace.h"

namespace stepscope {

// Sets MemoryEvent::owner where it is not stated: the innermost event at that
// time on any lane of the event's track; an event owns [start, end). REQUIRES:
// rows and lanes final, `memory` ordered by time.
void AssignMemoryOwners(std::span<const int64_t> start_ns,
                        std::span<const int64_t> dur_ns,
                        const std::vector<Track>& tracks,
                        std::span<StoredMemoryEvent> memory);

}  // namespace stepscope
