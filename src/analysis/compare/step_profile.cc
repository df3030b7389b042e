// SPDX-License-Identifier: Apache-2.0
#include "analysis/compare/step_profile.h"

#include <stepscope/c.h>

#include <algorithm>
#include <map>
#include <vector>

#include "analysis/compare/item_sums.h"
#include "analysis/kinds.h"
#include "analysis/op_shapes.h"
#include "analysis/order_statistics.h"
#include "analysis/stats.h"
#include "analysis/step_finder.h"
#include "analysis/summary.h"
#include "trace/event_type.h"

namespace stepscope {
namespace {

// Which of the steps of all processes are chosen, and what they say.
class ChosenSteps {
 public:
  ChosenSteps(const EventTree& tree, const StepTable& steps,
              const StepChoice& choice) {
    std::map<int64_t, std::vector<int64_t>> by_index;
    for (uint32_t p = 0; p < tree.trace().processes().size(); ++p) {
      const uint32_t thread = steps.main_thread(p);
      if (thread == kNoThread || steps.steps_of(thread).empty()) continue;
      ++profile_.processes;
      for (const StepInterval& step : steps.steps_of(thread)) {
        Add(step, choice.Includes(step));
        if (choice.Includes(step))
          by_index[step.index].push_back(step.period_ns);
      }
    }
    if (profile_.processes <= 1) return;
    profile_.periods.clear();
    for (const auto& [index, periods] : by_index)
      profile_.periods.push_back(Median(periods));
  }

  // What is known without looking at events.
  const StepProfile& profile() const { return profile_; }
  // `step`: of StepFinder, over all processes. Counts the chosen from 0;
  // kNone if it is none.
  uint32_t Find(uint32_t step) const {
    return step < place_.size() ? place_[step] : StepFinder::kNone;
  }

 private:
  void Add(const StepInterval& step, bool is_chosen) {
    if (profile_.recorded++ == 0)
      profile_.first_index = profile_.last_index = step.index;
    profile_.first_index = std::min(profile_.first_index, step.index);
    profile_.last_index = std::max(profile_.last_index, step.index);
    if (!is_chosen) {
      if (step.warmup) AddWarmup(step);
      place_.push_back(StepFinder::kNone);
      return;
    }
    place_.push_back(static_cast<uint32_t>(profile_.steps++));
    profile_.periods.push_back(step.period_ns);
  }

  void AddWarmup(const StepInterval& step) {
    if (profile_.warmup++ == 0)
      profile_.warmup_first = profile_.warmup_last = step.index;
    profile_.warmup_first = std::min(profile_.warmup_first, step.index);
    profile_.warmup_last = std::max(profile_.warmup_last, step.index);
    profile_.warmup_period_ns =
        std::max(profile_.warmup_period_ns, step.period_ns);
  }

  StepProfile profile_;
  std::vector<uint32_t> place_;  // in the order of StepFinder
};

class Profiler {
 public:
  Profiler(const Trace& trace, const StepChoice& choice, bool by_shape)
      : tree_(trace),
        steps_(tree_),
        finder_(tree_, steps_),
        chosen_(tree_, steps_, choice),
        by_shape_(by_shape),
        raw_(trace),
        sums_(trace, static_cast<uint32_t>(
                         finder_.total() > 0 ? chosen_.profile().steps : 1)) {}

  StepProfile Make() {
    profile_ = chosen_.profile();
    profile_.has_steps = finder_.total() > 0;
    if (!profile_.has_steps) profile_.steps = profile_.processes = 1;
    AddSummary();
    AddStages();
    for (uint32_t i = 0; i < tree_.threads().size(); ++i) AddThread(i);
    AddKernels();
    profile_.items = sums_.Finish();
    return std::move(profile_);
  }

 private:
  const Trace& trace() const { return tree_.trace(); }

  // kNone: in no chosen step; in none at all, which is counted. Without steps
  // all is in one.
  uint32_t StepOf(uint32_t process, int64_t time_ns) {
    if (!profile_.has_steps) return 0;
    const uint32_t step = finder_.FindOfAll(process, time_ns, last_step_);
    if (step != StepFinder::kNone) return chosen_.Find(step);
    ++profile_.outside;
    return StepFinder::kNone;
  }

  void AddSummary() {
    SummaryOptions options;
    options.views = kWaterfallView | kMemoryView;
    const Summary summary = ComputeSummary(trace(), options);
    uint32_t index = 0;
    for (const StepParts& step : summary.waterfall.steps) {
      // Without steps, the longest process stands for all.
      const uint32_t at = profile_.has_steps ? chosen_.Find(index++) : 0;
      if (!profile_.has_steps && &step != &summary.waterfall.steps[0]) break;
      if (at == StepFinder::kNone) continue;
      if (!profile_.has_steps) profile_.periods.push_back(step.length());
      for (size_t i = 0; i < kStepParts; ++i) {
        sums_.Add(sums_.Item(CompareTable::kWaterfall,
                             StepPartName(static_cast<StepPart>(i))),
                  at, step.part_ns[i]);
      }
    }
    for (const MemoryPlace& place : summary.memory) {
      const uint32_t item = sums_.Item(CompareTable::kMemory, place.place);
      for (uint32_t i = 0; i < profile_.steps; ++i)
        sums_.Add(item, i, place.peak_allocated_bytes);
    }
  }

  void AddStages() {
    for (const StepInterval& stage : steps_.stages()) {
      const uint32_t process = tree_.threads()[stage.thread].process;
      if (stage.thread != steps_.main_thread(process)) continue;
      const uint32_t step = StepOf(process, stage.range.begin);
      if (step == StepFinder::kNone) continue;
      sums_.Add(sums_.Item(CompareTable::kModel, EventTypeName(stage.type)),
                step, SaturatingSubtract(stage.range.end, stage.range.begin));
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
      const uint32_t item = sums_.Item(
          is_operator ? CompareTable::kOperatorCpu : CompareTable::kUserDefined,
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
      sums_.Add(sums_.Item(CompareTable::kKernel, trace().name()[work.row], 0),
                step, trace().dur_ns()[work.row]);
    }
  }

  const EventTree tree_;
  const StepTable steps_;
  const StepFinder finder_;
  const ChosenSteps chosen_;
  const bool by_shape_;
  RawArgReader raw_;
  ItemSums sums_;
  uint32_t last_step_ = 0;  // where the next event is likely to be, too
  StepProfile profile_;
};

}  // namespace

std::string_view CompareTableName(CompareTable table) {
  constexpr std::string_view kNames[] = {
      "step",   "waterfall",    "model",   "operator_cpu", "operator_gpu",
      "kernel", "user_defined", "serving", "memory"};
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

StepProfile MakeStepProfile(const Trace& trace, const StepChoice& choice,
                            bool by_shape) {
  StepProfile profile = Profiler(trace, choice, by_shape).Make();
  profile.has_shapes = by_shape;
  return profile;
}

}  // namespace stepscope
