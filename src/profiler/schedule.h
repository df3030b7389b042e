// SPDX-License-Identifier: Apache-2.0
//
// Which step is recorded. Pure functions, thread-safe.
#pragma once

#include <stepscope/c.h>

#include <cstdint>
#include <optional>
#include <string_view>

namespace stepscope::profiler {

// Half-open range of steps.
struct StepBounds {
  int64_t first = 0;
  int64_t last = INT64_MAX;  // one past the end
};

// "A:B", "A:" (to the end) or ":B"; nothing if it is not such a range.
std::optional<StepBounds> ParseStepBounds(std::string_view text);

// The schedule that records `span` once, with one READY step before it where
// there is room.
stepscope_schedule ScheduleFor(StepBounds span);

// True for the four values of stepscope_profiler_state.
bool IsState(int state);

}  // namespace stepscope::profiler
