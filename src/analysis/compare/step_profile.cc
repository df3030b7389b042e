// SPDX-License-Identifier: Apache-2.0
#include "analysis/compare/step_profile.h"

#include <stepscope/c.h>

#include <vector>

#include "analysis/compare/item_sums.h"
#include "analysis/kinds.h"
#include "analysis/op_shapes.h"
#include "analysis/stats.h"
#include "analysis/step_finder.h"
#include "analysis/summary.h"
#include "trace/event_type.h"

namespace stepscope {
namespace {

class Profiler {
 public:
  Profiler(const Trace& trace, bool by_shape)
      : tree_(trace),
        steps_(tree_),
        finder_(tree_, steps_),
        by_shape_(by_shape),
        raw_(trace),
        sums_(trace, std::max<uint32_t>(1, finder_.total())) {}

  StepProfile Make() {
    profile_.has_steps = finder_.total() > 0;
    profile_.steps = std::max<uint32_t>(1, finder_.total());
    AddSummary();
    AddStages();
    for (uint32_t i = 0; i < tree_.threads().size(); ++i) AddThread(i);
    AddKernels();
    profile_.items = sums_.Finish();
    return std::move(profile_);
  }

 private:
  const Trace& trace() const { return tree_.trace(); }

  // kNone: in no step, which is counted. Without steps all is in one.
  uint32_t StepOf(uint32_t process, int64_t time_ns) {
    if (!profile_.has_steps) return 0;
    const uint32_t step = finder_.FindOfAll(process, time_ns, last_step_);
    if (step == StepFinder::kNone) ++profile_.outside;
    return step;
  }

  void AddSummary() {
    SummaryOptions options;
    options.views = kWaterfallView | kMemoryView;
    const Summary summary = ComputeSummary(trace(), options);
    const uint32_t whole = sums_.Item(CompareTable::kStep, "step");
    uint32_t index = 0;
    for (const StepParts& step : summary.waterfall.steps) {
      // Without steps, the longest process stands for all.
      const uint32_t at = profile_.has_steps ? index++ : 0;
      if (!profile_.has_steps && &step != &summary.waterfall.steps[0]) break;
      sums_.Add(whole, at, step.length());
      for (size_t i = 0; i < kStepParts; ++i) {
        sums_.Add(sums_.Item(CompareTable::kWaterfall,
                             StepPartName(static_cast<StepPart>(i))),
                  at, step.part_ns[i]);
      }
    }
    for (const MemoryPlace& place : summary.memory) {
      const uint32_t item = sums_.Item(CompareTable::kMemory, place.place);
      for (uint32_t i = 0; i < profile_.steps; ++i) {
        sums_.Add(item, i, place.peak_allocated_bytes);
      }
    }
  }

  void AddStages() {
    for (const StepInterval& stage : steps_.stages()) {
      const uint32_t process = tree_.threads()[stage.thread].process;
      if (stage.thread != steps_.main_thread(process)) continue;
      const uint32_t step = StepOf(process, stage.range.begin);
      if (step == StepFinder::kNone) continue;
      sums_.Add(sums_.Item(CompareTable::kModel, EventTypeName(stage.type)),
                step,
                SaturatingSubtract(stage.range.end, stage.range.begin));
    }
  }

  void AddThread(uint32_t thread) {
    const uint32_t process = tree_.threads()[thread].process;
    std::vector<OpenSpan> open;  // by item
    tree_.ForEachNested(thread, [&](Row row, const Interval& span) {
      const uint16_t type = trace().type()[row];
      const bool is_operator = type == STEPSCOPE_OPERATOR;
      if (!is_operator && !IsUserDefined(type)) return;
      const uint32_t step = StepOf(process, trace().start_ns()[row]);
      if (step == StepFinder::kNone) return;
      const StringId name = trace().name()[row];
      const uint32_t shape =
          is_operator && by_shape_
              ? sums_.ShapeId(ShapesOf(trace(), row, raw_.Get(row)).text)
              : 0;
      const uint32_t item =
          sums_.Item(is_operator ? CompareTable::kOperatorCpu
                                 : CompareTable::kUserDefined,
                     name, shape);
      if (item >= open.size()) open.resize(2 * size_t{item} + 16);
      if (!open[item].Enter(span.begin, span.end)) return;
      sums_.Add(item, step, trace().dur_ns()[row]);
      if (!is_operator || tree_.gpu_ns(row) == 0) return;
      sums_.Add(sums_.Item(CompareTable::kOperatorGpu, name, shape), step,
                tree_.gpu_ns(row));
    });
  }

  void AddKernels() {
    for (const DeviceWork& work : tree_.work()) {
      if (trace().type()[work.row] != STEPSCOPE_KERNEL) continue;
      const Row at = work.launch == kNoRow ? work.row : work.launch;
      const uint32_t process =
          trace().tracks()[trace().track()[work.row]].process;
      const uint32_t step = StepOf(process, trace().start_ns()[at]);
      if (step == StepFinder::kNone) continue;
      sums_.Add(
          sums_.Item(CompareTable::kKernel, trace().name()[work.row], 0), step,
          trace().dur_ns()[work.row]);
    }
  }

  const EventTree tree_;
  const StepTable steps_;
  const StepFinder finder_;
  const bool by_shape_;
  RawArgReader raw_;
  ItemSums sums_;
  uint32_t last_step_ = 0;  // where the next event is likely to be, too
  StepProfile profile_;
};

}  // namespace

std::string_view CompareTableName(CompareTable table) {
  constexpr std::string_view kNames[] = {
      "step",   "waterfall",    "model",  "operator_cpu", "operator_gpu",
      "kernel", "user_defined", "memory"};
  return kNames[static_cast<size_t>(table)];
}

bool HasShapes(const Trace& trace) {
  if (trace.args().empty() && !trace.has_raw_args()) return false;
  RawArgReader raw(trace);
  for (Row row = 0; row < trace.size(); ++row) {
    if (trace.type()[row] != STEPSCOPE_OPERATOR) continue;
    if (ShapesOf(trace, row, raw.Get(row)).known()) return true;
  }
  return false;
}

StepProfile MakeStepProfile(const Trace& trace, bool by_shape) {
  StepProfile profile = Profiler(trace, by_shape).Make();
  profile.has_shapes = by_shape;
  return profile;
}

}  // namespace stepscope
