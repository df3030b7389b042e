// SPDX-License-Identifier: Apache-2.0
//
// Stages of a training step that nobody marked. torch records neither forward
// nor backward pass, but each function of autograd carries the sequence number
// of the operator whose gradient it computes. So:
//
//   Backward  the time in which autograd evaluates functions, on any thread;
//             one range until the stepping thread runs an operator of its own,
//             or another stage or step begins
//   Forward   from the first to the last operator of the stepping thread,
//             before that range, whose sequence number is used in it; with the
//             range of DistributedDataParallel.forward and its like around.
//             Without sequence numbers: its operators since the last pass or
//             the begin of the step, outside of other stages
//
// Marked stages win: a process with Forward events gets no other Forward, and
// time that a mark covers is never given to a stage that was concluded.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/autograd_names.h"
#include "analysis/event_tree.h"

namespace stepscope {

struct StepInterval;

// Adds the stages that follow from autograd's events, on the stepping threads,
// and puts stages that were marked on helper threads only (Forward, Backward,
// Optimization) on the stepping thread, which waits for them. `stages`: by
// thread and start, before and after. `main_thread`: by process; where there is
// none and autograd ran, it is chosen.
void CompleteStages(const EventTree& tree, const AutogradNames& autograd,
                    std::span<const StepInterval> steps,
                    std::vector<uint32_t>& main_thread,
                    std::vector<StepInterval>& stages);

}  // namespace stepscope
