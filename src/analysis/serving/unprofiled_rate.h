// SPDX-License-Identifier: Apache-2.0
//
// Tokens per second of a server that is not recorded.
#pragma once

#include <cstdint>
#include <optional>

#include "analysis/serving/iterations.h"
#include "analysis/steps.h"
#include "analysis/tables/step_time.h"

namespace stepscope {

// Gives the kind its rate without what recording cost, where that is known:
// the recorded rate times how many times longer recorded steps were, as
// `step_time` has it. What is known is the median of all unrecorded steps, so
// it says nothing unless all iterations are of one kind and each is one step.
// Without steps, what the user stated is the iteration's; `stated_ns`.
void AddUnprofiledRate(const EventTree& tree, const StepTable& steps,
                       const StepTime& step_time,
                       std::optional<int64_t> stated_ns, IterationTable& table);

}  // namespace stepscope
