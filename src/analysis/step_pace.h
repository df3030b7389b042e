// SPDX-License-Identifier: Apache-2.0
//
// The period of a step: from its start to the next one's, on the host or on the
// device, whichever paces the loop. The device does when the host runs ahead of
// it (graph replays, a deep queue): the host then starts steps faster than they
// are done.
#pragma once

#include <span>

#include "analysis/steps.h"

namespace stepscope {

// Sets StepInterval::period_ns and its begin. `steps`: of one thread, by start.
// The last step, and one that the next one does not follow on, ends at the
// later of its host and device end. Returns whether the device paces the loop;
// that is one decision for all steps.
bool SetPeriods(std::span<StepInterval> steps);

}  // namespace stepscope
