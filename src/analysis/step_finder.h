// SPDX-License-Identifier: Apache-2.0
//
// StepFinder: which step of its process a moment belongs to.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "analysis/event_tree.h"
#include "analysis/steps.h"

namespace stepscope {

// Knows the steps of the stepping threads. Thread-safe once made.
class StepFinder {
 public:
  static constexpr uint32_t kNone = 0xffffffffu;

  StepFinder(const EventTree& tree, const StepTable& steps)
      : steps_(tree.trace().processes().size()) {
    for (const StepInterval& step : steps.steps()) {
      const uint32_t process = tree.threads()[step.thread].process;
      if (step.thread != steps.main_thread(process)) continue;
      steps_[process].push_back(step.range);
    }
    for (const auto& of_process : steps_) {
      first_.push_back(total_);
      total_ += static_cast<uint32_t>(of_process.size());
    }
  }

  // Counted from 0 within the process, in time order; kNone outside.
  uint32_t Find(uint32_t process, int64_t time_ns) const {
    const std::vector<Interval>& all = steps_[process];
    const auto after = std::upper_bound(
        all.begin(), all.end(), time_ns,
        [](int64_t time, const Interval& step) { return time < step.begin; });
    if (after == all.begin() || time_ns >= after[-1].end) return kNone;
    return static_cast<uint32_t>(after - all.begin()) - 1;
  }
  // Counted over all processes. `likely`: of the process, tried first; takes
  // the answer.
  uint32_t FindOfAll(uint32_t process, int64_t time_ns,
                     uint32_t& likely) const {
    const std::vector<Interval>& all = steps_[process];
    const bool here =
        likely < all.size() && time_ns >= all[likely].begin &&
        time_ns < all[likely].end &&
        (likely + 1 == all.size() || time_ns < all[likely + 1].begin);
    const uint32_t step = here ? likely : Find(process, time_ns);
    if (step == kNone) return kNone;
    likely = step;
    return first_[process] + step;
  }
  // REQUIRES: what Find() returned for the process.
  const Interval& RangeOf(uint32_t process, uint32_t step) const {
    return steps_[process][step];
  }
  size_t count(uint32_t process) const { return steps_[process].size(); }
  uint32_t total() const { return total_; }

 private:
  std::vector<std::vector<Interval>> steps_;
  std::vector<uint32_t> first_;  // by process, in the count over all
  uint32_t total_ = 0;
};

}  // namespace stepscope
