// SPDX-License-Identifier: Apache-2.0
//
// Model table: where a step goes, by stage. CPU is the plain sum of the
// outermost stages of the threads that step, as far as they lie in steps; GPU
// is the work that belongs to the stage (kernels, copies and sets), plain sum,
// for time and ratio alike.
#pragma once

#include <array>
#include <vector>

#include "analysis/steps.h"
#include "analysis/tables/rows.h"

namespace stepscope {

struct ModelRow {
  std::string_view name;  // "ProfileStep", "Forward", ..., "Others"
  uint64_t calls = 0;     // of Others: 0, and only totals and ratios count
  TimeColumn cpu;         // ratio of the total time
  TimeColumn gpu;         // ratio of the work launched in steps
  bool inferred = false;  // concluded, not recorded
};

// What the table is made from; it adds up over traces that have steps.
struct ModelSums {
  struct Stage {
    uint64_t calls = 0;
    TimeStats cpu;
    TimeStats gpu;
    bool inferred = false;
  };
  static constexpr size_t kStages = 5;  // ProfileStep, then the stages
  bool has_steps = false;
  std::array<Stage, kStages> stages;
  int64_t outside_cpu_ns = 0;  // what no stage has
  int64_t outside_gpu_ns = 0;
};
ModelSums ComputeModelSums(const EventTree& tree, const StepTable& steps);
// `gpu_ns`: what GPU ratios are of. CPU ratios are of all rows but the first.
std::vector<ModelRow> ModelRows(const ModelSums& sums, int64_t gpu_ns);

// ProfileStep, the stages that occur, Others; empty without steps and stages.
// Others is what the stages leave of the steps on the same thread, never
// negative; without steps, of the recorded window. So rows never add up to more
// than the steps.
std::vector<ModelRow> ComputeModel(const EventTree& tree,
                                   const StepTable& steps);

// Whether the table is worth printing: two kinds of row and Others.
inline bool ShowsModel(const std::vector<ModelRow>& rows) {
  return rows.size() > 2;
}

}  // namespace stepscope
