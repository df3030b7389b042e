// SPDX-License-Identifier: Apache-2.0
#include "analysis/stages.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "analysis/autograd_passes.h"
#include "analysis/gaps.h"
#include "analysis/kinds.h"
#include "analysis/stats.h"
#include "analysis/steps.h"

namespace stepscope {
namespace {

// Deals out spans by process. REQUIRES: they are ordered by thread, as threads
// are by process.
struct OfProcess {
  const EventTree& tree;
  std::span<const StepInterval> spans;
  size_t next = 0;

  std::span<const StepInterval> Take(uint32_t process) {
    const size_t first = next;
    while (next < spans.size() &&
           tree.threads()[spans[next].thread].process == process)
      ++next;
    return spans.subspan(first, next - first);
  }
};

// Moves stages of helper threads to the thread that steps, where that has none
// of their type: it waits for them meanwhile, or they would be no part of its
// step. Data loading is not moved: it goes on beside.
class HelperStages {
 public:
  HelperStages(const EventTree& tree, std::span<const StepInterval> steps,
               std::span<const uint32_t> main_thread)
      : tree_(tree),
        main_thread_(main_thread),
        steps_in_(tree.threads().size()) {
    for (const StepInterval& step : steps) steps_in_[step.thread] = true;
  }

  void Move(std::vector<StepInterval>& stages) const {
    // By process: which types the stepping thread has.
    std::vector<uint64_t> own(tree_.trace().processes().size());
    for (const StepInterval& stage : stages) {
      const uint32_t process = tree_.threads()[stage.thread].process;
      if (steps_in_[stage.thread]) own[process] |= SetOf(stage.type);
    }
    const auto is_moved = [&](const StepInterval& stage) {
      const uint32_t process = tree_.threads()[stage.thread].process;
      const uint32_t main = main_thread_[process];
      return stage.type != STEPSCOPE_DATALOADER && main != kNoThread &&
             steps_in_[main] && !steps_in_[stage.thread] &&
             (own[process] & SetOf(stage.type)) == 0;
    };
    const auto first =
        std::stable_partition(stages.begin(), stages.end(),
                              [&](const auto& s) { return !is_moved(s); });
    if (first == stages.end()) return;
    std::vector<StepInterval> moved(first, stages.end());
    stages.erase(first, stages.end());
    Place(std::move(moved), stages);
  }

 private:
  // Stages of one thread must not contain each other: the first takes all.
  void Place(std::vector<StepInterval> moved,
             std::vector<StepInterval>& stages) const {
    std::vector<IntervalCollector> taken(tree_.trace().processes().size());
    for (const StepInterval& stage : stages) {
      const uint32_t process = tree_.threads()[stage.thread].process;
      if (stage.thread == main_thread_[process])
        taken[process].Add(stage.range.begin, stage.range.end);
    }
    std::vector<IntervalSet> sets(taken.size());
    for (size_t i = 0; i < taken.size(); ++i) sets[i] = taken[i].Finish();
    std::stable_sort(moved.begin(), moved.end(),
                     [](const auto& a, const auto& b) {
                       return a.range.begin < b.range.begin;
                     });
    std::vector<int64_t> until(sets.size(), INT64_MIN);
    for (StepInterval& stage : moved) {
      const uint32_t process = tree_.threads()[stage.thread].process;
      stage.thread = main_thread_[process];
      const Interval range{std::max(stage.range.begin, until[process]),
                           stage.range.end};
      if (range.begin >= range.end) continue;
      until[process] = range.end;
      ForEachGap(sets[process], range, [&](const Interval& part) {
        stage.range = part;
        stages.push_back(stage);
      });
    }
  }

  const EventTree& tree_;
  std::span<const uint32_t> main_thread_;
  std::vector<bool> steps_in_;  // by thread
};

// By thread and start. An empty mark inside another stage is dropped: it would
// hide the rest of that stage from who looks for the last one that began.
void SortStages(std::vector<StepInterval>& stages) {
  std::stable_sort(stages.begin(), stages.end(),
                   [](const StepInterval& a, const StepInterval& b) {
                     return std::tie(a.thread, a.range.begin, b.range.end) <
                            std::tie(b.thread, b.range.begin, a.range.end);
                   });
  uint32_t thread = kNoThread;
  OpenSpan open;
  std::erase_if(stages, [&](const StepInterval& stage) {
    if (stage.thread != thread) open = {};
    thread = stage.thread;
    return !open.Enter(stage.range.begin, stage.range.end);
  });
}

}  // namespace

void CompleteStages(const EventTree& tree, const AutogradNames& autograd,
                    std::span<const StepInterval> steps,
                    std::vector<uint32_t>& main_thread,
                    std::vector<StepInterval>& stages) {
  HelperStages(tree, steps, main_thread).Move(stages);
  SortStages(stages);
  if (!autograd.any()) return;
  const Threads& threads = tree.threads();
  const std::vector<StepInterval> marks = stages;
  OfProcess steps_of{tree, steps};
  OfProcess marks_of{tree, marks};
  for (uint32_t first = 0, last = 0; first < threads.size(); first = last) {
    const uint32_t process = threads[first].process;
    while (last < threads.size() && threads[last].process == process) ++last;
    AutogradPasses found(tree, autograd, {first, last}, main_thread[process]);
    for (const StepInterval& step : steps_of.Take(process)) found.AddStep(step);
    for (const StepInterval& mark : marks_of.Take(process)) found.AddMark(mark);
    main_thread[process] = found.AddTo(stages);
  }
  SortStages(stages);
}

}  // namespace stepscope
