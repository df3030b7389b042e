// SPDX-License-Identifier: Apache-2.0
//
// What a step of a trace costs, item by item: for each operator, kernel and so
// on the time of every step, so that two traces can be compared.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/compare/step_sample.h"
#include "analysis/step_choice.h"
#include "trace/trace.h"

namespace stepscope {

enum class CompareTable : uint8_t {
  kStep,         // the step itself
  kWaterfall,    // its parts
  kModel,        // stages, host time
  kOperatorCpu,  // host time, by name and shape; an operator inside one of
                 // the same name counts once
  kOperatorGpu,  // device work launched inside
  kKernel,
  kUserDefined,
  kServing,  // of iterations or requests
  kMemory,   // bytes at the peak, by place
};
std::string_view CompareTableName(CompareTable table);

struct CompareKey {
  CompareTable table = CompareTable::kStep;
  std::string name;
  std::string shape;  // of an operator's inputs, where recorded
  friend auto operator<=>(const CompareKey&, const CompareKey&) = default;
};

struct CompareItem {
  uint64_t calls = 0;   // not inside another of the same item
  StepSample per_step;  // ns, or bytes; a step without it counts as 0
};

struct StepProfile {
  uint64_t steps = 0;        // chosen ones, over all processes
  bool has_steps = false;    // else the recorded window is the one step
  bool has_shapes = false;   // of some operator
  uint64_t recorded = 0;     // steps, over all processes
  uint64_t warmup = 0;       // of those that were not chosen
  int64_t warmup_first = 0;  // the number of the first of them
  int64_t warmup_last = 0;
  int64_t warmup_period_ns = 0;  // of the longest
  uint64_t processes = 0;        // with steps; 1 without any
  int64_t first_index = 0;       // numbers of the recorded steps
  int64_t last_index = 0;
  uint64_t outside = 0;  // operators and kernels in no step: not compared
  // Of the chosen steps, in order. Processes of a job step together: of steps
  // of one number, the median counts, as one step.
  std::vector<int64_t> periods;
  std::map<CompareKey, CompareItem> items;
};

// `by_shape`: operators of different shapes are different items. Peaks of
// memory are those of the whole trace, whatever is chosen.
StepProfile MakeStepProfile(const Trace& trace, const StepChoice& choice,
                            bool by_shape);
// Whether some operator states the shapes of its inputs.
bool HasShapes(const Trace& trace);

}  // namespace stepscope
