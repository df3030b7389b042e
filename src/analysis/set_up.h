// SPDX-License-Identifier: Apache-2.0
//
// What a program does once and not in every step: compiling, autotuning,
// loading code onto a device, allocating device memory for the first time.
#pragma once

#include <cstdint>
#include <string_view>

#include "analysis/event_tree.h"
#include "analysis/interval.h"

namespace stepscope {

// By the name of a host event.
bool IsSetUp(std::string_view name);

// How much of `range` the thread spent so. Reads the events of the range.
int64_t SetUpTime(const EventTree& tree, uint32_t thread,
                  const Interval& range);

}  // namespace stepscope
