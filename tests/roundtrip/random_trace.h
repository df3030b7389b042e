// SPDX-License-Identifier: Apache-2.0
//
// Traces that hold everything a Trace can hold, with the worst of values.
#pragma once

#include <cstdint>
#include <memory>

#include "trace/trace.h"

namespace stepscope {

// The same for the same seed. `events`: about how many.
std::shared_ptr<const Trace> RandomTrace(uint64_t seed, uint32_t events = 300);

}  // namespace stepscope
