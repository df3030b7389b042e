// SPDX-License-Identifier: Apache-2.0
//
// The clock events are stamped with: the invariant TSC or cntvct_el0 where the
// machine can be trusted with it, CLOCK_MONOTONIC otherwise. Chosen once per
// process.
#pragma once

#include <cstdint>

#include "format/block.h"

namespace stepscope::collector {

// What this process stamps with. Thread-safe, decided at the first call.
format::ClockKind ClockKindInUse();

// True when user code may read the counter inline.
inline bool CounterUsable() {
  return ClockKindInUse() != format::ClockKind::kMonotonic;
}

// Now, in ticks of ClockKindInUse().
uint64_t Now();

// Frequency that the hardware states, 0 if it states none.
uint64_t NominalHz();

// One instant on every clock: the narrowest of several brackets.
format::Anchor TakeAnchor();

int64_t MonotonicNs();

}  // namespace stepscope::collector
