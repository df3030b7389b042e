// SPDX-License-Identifier: Apache-2.0
#include "analysis/counters/measured_groups.h"

#include <stepscope/c.h>

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "analysis/counters/counter_cells.h"
#include "analysis/counters/work_flops.h"
#include "analysis/module_names.h"
#include "analysis/name_class.h"

namespace stepscope {

constexpr uint32_t kNoGroup = WorkGroups::kNone;

class GroupMaker {
 public:
  GroupMaker(const EventTree& tree, const StepTable& steps,
             MeasuredGroups& groups)
      : tree_(tree),
        trace_(tree.trace()),
        steps_(steps),
        modules_(tree),
        made_(groups) {
    made_.work_.resize(MeasuredGroups::kFixed);
    for (std::vector<uint32_t>& of_name : made_.of_name_)
      of_name.assign(trace_.strings().size(), kNoGroup);
    made_.of_step_.assign(steps.steps().size(), kNoGroup);
  }

  void AddWork(const std::vector<bool>& rows,
               const std::vector<WorkFlops>& flops) {
    without_warmup_ =
        rows.empty() &&
        std::ranges::any_of(steps_.steps(), [](const StepInterval& step) {
          return !step.warmup;
        });
    for (size_t i = 0; i < tree_.work().size(); ++i) {
      const DeviceWork& work = tree_.work()[i];
      const bool counts = rows.empty() || rows[work.row];
      const size_t step = FindStep(work);
      std::array<uint32_t, WorkGroups::kMost> own;
      own.fill(kNoGroup);
      if (step != kNoStep) own[0] = GroupOf(made_.of_step_[step]);
      if (counts) {
        own[1] = MeasuredGroups::kAll;
        if (IsOfSteps(step)) own[2] = MeasuredGroups::kSteps;
        own[3] = DeviceOf(work);
        own[4] = KernelOf(work);
        own[5] = ModuleOf(work);
        own[6] = OperatorOf(work, flops[i].call);
        if (flops[i].call == kNoRow) AddUncounted(own[6]);
      }
      groups_.AddWork(own);
      const int64_t dur = trace_.dur_ns()[work.row];
      groups_.ForEach(static_cast<uint32_t>(i), [&](uint32_t group) {
        MeasuredWork& sum = made_.work_[group];
        sum.work_ns = SaturatingAdd(sum.work_ns, dur);
        sum.flops += flops[i].flops;
        if (flops[i].flops > 0) sum.flops_ns = SaturatingAdd(sum.flops_ns, dur);
      });
    }
  }

  void ShareOutAll(const std::vector<CounterCells>& devices) {
    std::vector<MeasuredParts> parts(made_.work_.size());
    for (const CounterCells& device : devices) {
      const std::vector<WorkSpan> spans = SpansOf(device);
      ShareOut(device.cells, spans, groups_, parts);
    }
    for (size_t i = 0; i < parts.size(); ++i) made_.work_[i].parts = parts[i];
  }

  // A kernel has a number only where nearly all of its calls have one, and an
  // operator where all have: the table of FLOPs is of these.
  void DropPartialFlops() {
    constexpr double kNearlyAll = 0.95;
    for (const uint32_t group :
         made_.of_name_[static_cast<size_t>(Level::kKernel)]) {
      if (group == kNoGroup) continue;
      MeasuredWork& work = made_.work_[group];
      if (Ratio(work.flops_ns, work.work_ns) < kNearlyAll) work.flops = 0;
    }
    for (uint32_t group = 0; group < uncounted_.size(); ++group)
      if (uncounted_[group]) made_.work_[group].flops = 0;
  }

 private:
  using Level = MeasuredGroups::Level;
  static constexpr size_t kNoStep = SIZE_MAX;

  uint32_t GroupOf(uint32_t& group) {
    if (group == kNoGroup) {
      group = static_cast<uint32_t>(made_.work_.size());
      made_.work_.emplace_back();
    }
    return group;
  }
  uint32_t GroupOf(Level level, StringId name) {
    return GroupOf(made_.of_name_[static_cast<size_t>(level)][name.v]);
  }

  uint32_t KernelOf(const DeviceWork& work) {
    if (trace_.type()[work.row] != STEPSCOPE_KERNEL) return kNoGroup;
    return GroupOf(Level::kKernel, trace_.name()[work.row]);
  }

  // As StepTable deals it out. By index of its steps.
  size_t FindStep(const DeviceWork& work) const {
    if (work.launch == kNoRow) return kNoStep;
    const int64_t time = trace_.start_ns()[work.launch];
    const uint32_t own = tree_.thread_of(work.launch);
    const uint32_t main = steps_.main_thread(tree_.threads()[own].process);
    for (const uint32_t thread : {own, main}) {
      if (thread == kNoThread) continue;
      const std::span<const StepInterval> steps = steps_.steps_of(thread);
      const auto after = std::ranges::upper_bound(
          steps, time, {},
          [](const StepInterval& step) { return step.range.begin; });
      if (after != steps.begin() && time < after[-1].range.end)
        return static_cast<size_t>(&after[-1] - steps_.steps().data());
    }
    return kNoStep;
  }

  bool IsOfSteps(size_t step) const {
    if (steps_.steps().empty()) return true;
    return step != kNoStep &&
           (!without_warmup_ || !steps_.steps()[step].warmup);
  }

  uint32_t DeviceOf(const DeviceWork& work) {
    const Track& track = trace_.tracks()[trace_.track()[work.row]];
    return GroupOf(
        made_.of_device_.try_emplace({track.process, track.device}, kNoGroup)
            .first->second);
  }

  // The innermost that it was captured or launched in.
  template <typename IsWanted>
  uint32_t InnermostOf(const DeviceWork& work, Level level, uint32_t outside,
                       IsWanted is_wanted) {
    for (const CapturedIn& event : tree_.captured_in(work))
      if (is_wanted(event.name, event.type)) return GroupOf(level, event.name);
    for (Row row = work.owner; row != kNoRow; row = tree_.parent(row))
      if (is_wanted(trace_.name()[row], trace_.type()[row]))
        return GroupOf(level, trace_.name()[row]);
    return outside;
  }
  uint32_t ModuleOf(const DeviceWork& work) {
    return InnermostOf(
        work, Level::kModule, MeasuredGroups::kNoModule,
        [&](StringId name, uint16_t type) { return modules_.Has(name, type); });
  }
  // `call`: of WorkFlops.
  uint32_t OperatorOf(const DeviceWork& work, Row call) {
    if (call != kNoRow) return GroupOf(Level::kOperator, trace_.name()[call]);
    return InnermostOf(
        work, Level::kOperator, MeasuredGroups::kNoOperator,
        [](StringId, uint16_t type) { return type == STEPSCOPE_OPERATOR; });
  }
  void AddUncounted(uint32_t group) {
    if (group >= uncounted_.size()) uncounted_.resize(group + 1);
    uncounted_[group] = true;
  }

  std::vector<WorkSpan> SpansOf(const CounterCells& device) const {
    std::vector<WorkSpan> spans;
    for (uint32_t i = 0; i < tree_.work().size(); ++i) {
      const Row row = tree_.work()[i].row;
      const Track& track = trace_.tracks()[trace_.track()[row]];
      if (track.process != device.process || track.device != device.device ||
          trace_.dur_ns()[row] <= 0)
        continue;
      spans.push_back({{trace_.start_ns()[row], tree_.end_ns(row)},
                       i,
                       trace_.type()[row] == STEPSCOPE_KERNEL});
    }
    // Of one stream they are.
    const auto begin = [](const WorkSpan& span) { return span.time.begin; };
    if (!std::ranges::is_sorted(spans, {}, begin))
      std::ranges::stable_sort(spans, {}, begin);
    return spans;
  }

  const EventTree& tree_;
  const Trace& trace_;
  const StepTable& steps_;
  const ModuleNames modules_;
  MeasuredGroups& made_;
  WorkGroups groups_;
  bool without_warmup_ = false;
  std::vector<bool> uncounted_;  // of operators: has work without FLOPs
};

std::shared_ptr<const MeasuredGroups> MeasuredGroups::Compute(
    const EventTree& tree, const StepTable& steps,
    const std::vector<bool>& rows, const std::vector<CountedCall>& calls,
    const StatedPeaks& peaks) {
  const std::vector<CounterCells> devices = FindCounterCells(tree.trace());
  if (devices.empty()) return nullptr;
  auto groups = std::make_shared<MeasuredGroups>();
  groups->peaks_ = peaks;
  GroupMaker maker(tree, steps, *groups);
  NameClasses names(tree.trace().strings());
  maker.AddWork(rows, DealFlops(tree, names, calls));
  maker.DropPartialFlops();
  maker.ShareOutAll(devices);
  return groups;
}

const MeasuredWork* MeasuredGroups::Find(Level level, StringId name) const {
  const std::vector<uint32_t>& of_name = of_name_[static_cast<size_t>(level)];
  if (name.v >= of_name.size() || of_name[name.v] == kNoGroup) return nullptr;
  return &work_[of_name[name.v]];
}

std::vector<StringId> MeasuredGroups::Names(Level level) const {
  const std::vector<uint32_t>& of_name = of_name_[static_cast<size_t>(level)];
  std::vector<StringId> names;
  for (uint32_t i = 0; i < of_name.size(); ++i)
    if (of_name[i] != kNoGroup) names.push_back(StringId{i});
  std::ranges::stable_sort(names, std::ranges::greater{}, [&](StringId name) {
    return work_[of_name[name.v]].work_ns;
  });
  return names;
}

const MeasuredWork* MeasuredGroups::FindDevice(uint32_t process,
                                               int64_t device) const {
  const auto found = of_device_.find({process, device});
  return found == of_device_.end() ? nullptr : &work_[found->second];
}

const MeasuredWork* MeasuredGroups::FindStep(size_t step) const {
  const uint32_t group = step < of_step_.size() ? of_step_[step] : kNoGroup;
  return group == kNoGroup ? nullptr : &work_[group];
}

}  // namespace stepscope
