// SPDX-License-Identifier: Apache-2.0
#include "analysis/compare/step_profile.h"

#include <stepscope/c.h>

#include <vector>

#include "analysis/flat_map.h"
#include "analysis/kinds.h"
#include "analysis/op_shapes.h"
#include "analysis/stats.h"
#include "analysis/step_finder.h"
#include "analysis/summary.h"
#include "trace/event_type.h"

namespace stepscope {
namespace {

// Adds up times by item and step.
class Accumulator {
 public:
  explicit Accumulator(uint32_t steps) : steps_(steps) {}

  uint32_t Item(CompareTable table, std::string_view name,
                std::string_view shape = {}) {
    CompareKey key{table, std::string(name), std::string(shape)};
    const auto next = static_cast<uint32_t>(calls_.size());
    const auto [at, added] = slots_.try_emplace(std::move(key), next);
    if (added) calls_.push_back(0);
    return at->second;
  }

  void Add(uint32_t item, uint32_t step, int64_t value, bool in_total = true) {
    ++calls_[item];
    if (!in_total) return;
    const uint32_t cell =
        cells_.Insert(uint64_t{item} << 32 | step);
    if (cell == FlatMap::kNew) {
      values_.push_back({item, value});
    } else {
      values_[cell].value = SaturatingAdd(values_[cell].value, value);
    }
  }

  std::map<CompareKey, CompareItem> Finish() const {
    std::vector<Sample> samples(calls_.size());
    for (const Cell& cell : values_) {
      samples[cell.item].Add(static_cast<double>(cell.value));
    }
    std::map<CompareKey, CompareItem> items;
    for (const auto& [key, slot] : slots_) {
      samples[slot].count = steps_;  // the others were 0
      items[key] = {calls_[slot], samples[slot]};
    }
    return items;
  }

 private:
  struct Cell {
    uint32_t item = 0;
    int64_t value = 0;
  };
  uint32_t steps_;
  std::map<CompareKey, uint32_t> slots_;
  std::vector<uint64_t> calls_;  // by slot
  FlatMap cells_;                // (slot, step)
  std::vector<Cell> values_;
};

class Profiler {
 public:
  Profiler(const Trace& trace, bool by_shape)
      : tree_(trace),
        steps_(tree_),
        finder_(tree_, steps_),
        by_shape_(by_shape),
        raw_(trace),
        sums_(std::max<uint32_t>(1, finder_.total())) {}

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
    const uint32_t step = finder_.FindOfAll(process, time_ns);
    if (step == StepFinder::kNone) ++profile_.outside;
    return step;
  }

  void AddSummary() {
    TableOptions options;
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
    for (const StepSpan& stage : steps_.stages()) {
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
    std::map<uint32_t, OpenSpan> open;  // by item
    tree_.ForEachNested(thread, [&](Row row, const Interval& span) {
      const uint16_t type = trace().type()[row];
      const bool is_operator = type == STEPSCOPE_OPERATOR;
      if (!is_operator && !IsUserDefined(type)) return;
      const uint32_t step = StepOf(process, trace().start_ns()[row]);
      if (step == StepFinder::kNone) return;
      const std::string_view name = trace().str(trace().name()[row]);
      const std::string shape =
          is_operator && by_shape_
              ? ShapesOf(trace(), row, raw_.Get(row)).text
              : std::string();
      const uint32_t item =
          sums_.Item(is_operator ? CompareTable::kOperatorCpu
                                 : CompareTable::kUserDefined,
                     name, shape);
      const bool outermost = open[item].Enter(span.begin, span.end);
      sums_.Add(item, step, trace().dur_ns()[row], outermost);
      if (!is_operator || tree_.gpu_ns(row) == 0) return;
      sums_.Add(sums_.Item(CompareTable::kOperatorGpu, name, shape), step,
                tree_.gpu_ns(row), outermost);
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
      sums_.Add(sums_.Item(CompareTable::kKernel,
                           trace().str(trace().name()[work.row])),
                step, trace().dur_ns()[work.row]);
    }
  }

  const EventTree tree_;
  const StepTable steps_;
  const StepFinder finder_;
  const bool by_shape_;
  RawArgReader raw_;
  Accumulator sums_;
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
