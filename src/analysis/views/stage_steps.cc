// SPDX-License-Identifier: Apache-2.0
//
// Each step by its stages: time on the host, and the device work launched in
// them. The stages of a step and what remains add up to it.
#include <algorithm>
#include <array>
#include <vector>

#include "analysis/stats.h"
#include "analysis/views/stage_lookup.h"
#include "analysis/views/view_table.h"

namespace stepscope {
namespace {

struct StageStepRow {
  int64_t index = 0;
  int64_t pid = 0;
  std::string_view stage;
  int64_t cpu_ns = 0;
  int64_t gpu_ns = 0;
  int64_t step_cpu_ns = 0;
  int64_t step_gpu_ns = 0;
};

struct Side {
  int64_t cpu_ns = 0;
  int64_t gpu_ns = 0;
};
using Sides = std::array<Side, kStageSlots>;

// Stages that begin in the step, as far as they lie in it.
Sides SidesOf(const StepTable& steps, const StepInterval& step) {
  Sides sides{};
  Side& others = sides[kOtherStage];
  others.cpu_ns = SaturatingSubtract(step.range.end, step.range.begin);
  others.gpu_ns = step.gpu_ns;
  const auto stages = steps.stages();
  auto stage = std::lower_bound(
      stages.begin(), stages.end(), step,
      [](const StepInterval& a, const StepInterval& b) {
        return a.thread != b.thread ? a.thread < b.thread
                                    : a.range.begin < b.range.begin;
      });
  for (; stage != stages.end() && stage->thread == step.thread &&
         stage->range.begin < step.range.end;
       ++stage) {
    const int64_t end = std::min(stage->range.end, step.range.end);
    const int64_t cpu = SaturatingSubtract(end, stage->range.begin);
    Side& side = sides[StageSlot(stage->type)];
    side.cpu_ns = SaturatingAdd(side.cpu_ns, cpu);
    side.gpu_ns = SaturatingAdd(side.gpu_ns, stage->gpu_ns);
    others.cpu_ns = std::max<int64_t>(0, others.cpu_ns - cpu);
    others.gpu_ns = std::max<int64_t>(0, others.gpu_ns - stage->gpu_ns);
  }
  return sides;
}

std::vector<StageStepRow> ComputeStageSteps(const ViewInput& input) {
  const Trace& trace = input.tree.trace();
  std::vector<StageStepRow> rows;
  std::array<bool, kStageSlots> occurs{};
  for (const StepInterval& stage : input.steps.stages())
    if (input.steps.CountsStages(stage.thread))
      occurs[StageSlot(stage.type)] = true;
  occurs[kOtherStage] = true;
  for (const StepInterval& step : input.steps.steps()) {
    const Sides sides = SidesOf(input.steps, step);
    Side whole;
    for (const Side& side : sides) {
      whole.cpu_ns = SaturatingAdd(whole.cpu_ns, side.cpu_ns);
      whole.gpu_ns = SaturatingAdd(whole.gpu_ns, side.gpu_ns);
    }
    const uint32_t process = input.tree.threads()[step.thread].process;
    for (size_t slot = 0; slot < kStageSlots; ++slot) {
      if (!occurs[slot]) continue;
      rows.push_back({step.index, trace.processes()[process].pid,
                      StageName(slot), sides[slot].cpu_ns, sides[slot].gpu_ns,
                      whole.cpu_ns, whole.gpu_ns});
    }
  }
  return rows;
}

}  // namespace

ViewTable DeclareStageStepsViewTable() {
  ColumnsOf<StageStepRow> columns;
  columns.Count("index", "number of the step", &StageStepRow::index);
  columns.Count("pid", "process of the step", &StageStepRow::pid);
  columns.Text("stage", "stage, or Others: what remains", &StageStepRow::stage);
  columns
      .Time("cpu_ns", Adds::kSum, "time of the stage on the host",
            &StageStepRow::cpu_ns)
      .As("CPU");
  columns
      .Time("gpu_ns", Adds::kSum, "device work launched in it",
            &StageStepRow::gpu_ns)
      .As("GPU");
  columns
      .Time("step_cpu_ns", "all stages of the step and the rest",
            &StageStepRow::step_cpu_ns)
      .As("CPU of the step");
  columns
      .Time("step_gpu_ns", "device work launched in all of them",
            &StageStepRow::step_gpu_ns)
      .As("GPU of the step");
  return {.key = "stage_steps",
          .title = "Stages of each step",
          .meaning = "which stage takes the time, step by step?",
          .columns = columns.Take(),
          .rows = [](const ViewInput& input) {
            return RowList::Own(ComputeStageSteps(input));
          }};
}

}  // namespace stepscope
