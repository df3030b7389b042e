// SPDX-License-Identifier: Apache-2.0
//
// What the threads that step did by themselves in the steps.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/advice/rules.h"
#include "analysis/innermost.h"
#include "analysis/kinds.h"
#include "analysis/processor_demand.h"

namespace stepscope {

// When a stepping thread was in the stages of the step.
struct StageTimes {
  IntervalSet any;       // all of the below
  IntervalSet training;  // backward pass and optimizer
  IntervalSet loader;
};
StageTimes StagesOf(const AdviceInput& input, uint32_t thread);

// Steps of a process that the waterfall has, in the order of time.
std::vector<Interval> StepsOf(const AdviceInput& input, uint32_t process);

// Where the steps of a process begin in a list of all steps of the waterfall.
size_t FirstStepOf(const AdviceInput& input, uint32_t process);

// Calls `visit(step, piece)` for what the stepping thread of a process did in
// the given ranges, which are in order and apart; pieces lie inside them. In a
// step and in nothing else, `piece.row` is the step's event or none.
template <typename Visit>
void ForEachPieceInSteps(const AdviceInput& input, uint32_t process,
                         std::span<const Interval> steps, Visit visit) {
  const uint32_t thread = input.steps.main_thread(process);
  if (thread == kNoThread) return;
  size_t first = 0;
  ForEachInnermost(input.tree, thread, [&](const InnermostPiece& piece) {
    while (first < steps.size() && steps[first].end <= piece.range.begin)
      ++first;
    for (size_t i = first; i < steps.size() && steps[i].begin < piece.range.end;
         ++i) {
      InnermostPiece part = piece;
      part.range.begin = std::max(part.range.begin, steps[i].begin);
      part.range.end = std::min(part.range.end, steps[i].end);
      visit(i, part);
    }
  });
}

// Whether a piece is in the step and in nothing else that was recorded.
inline bool IsUnrecorded(const Trace& trace, const InnermostPiece& piece) {
  return piece.row == kNoRow ||
         trace.type()[piece.row] == STEPSCOPE_PROFILE_STEP;
}

inline bool DoesStep(const AdviceInput& input, uint32_t process) {
  return FirstStepOf(input, process) < input.step_count();
}

// Threads that were ready to run, on average, in processes that step and in
// those that do not: workers of a loader.
struct DemandParts {
  double stepping = 0;
  double workers = 0;
  uint64_t worker_processes = 0;
};
// None: not recorded.
std::optional<ProcessorDemand> DemandInSteps(const AdviceInput& input);
DemandParts SplitDemand(const AdviceInput& input,
                        const ProcessorDemand& demand);

// "The job used 0.98 of 2 processors."; with how many of its threads were busy
// where more were than there are processors. Empty: not recorded.
std::string ProcessorUse(const Trace& trace);
// What to try with threads, given that use; empty: nothing.
std::string ThreadRemedy(const AdviceInput& input);

}  // namespace stepscope
