// SPDX-License-Identifier: Apache-2.0
//
// For tests: short names of the states that c.h has.
#pragma once

#include <stepscope/c.h>

namespace stepscope::profiler {

inline constexpr int kClosed = STEPSCOPE_STATE_CLOSED;
inline constexpr int kReady = STEPSCOPE_STATE_READY;
inline constexpr int kRecord = STEPSCOPE_STATE_RECORD;
inline constexpr int kReturn = STEPSCOPE_STATE_RECORD_AND_RETURN;

}  // namespace stepscope::profiler
