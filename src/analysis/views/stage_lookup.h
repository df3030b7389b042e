// SPDX-License-Identifier: Apache-2.0
//
// StageLookup: which stage of a step a moment belongs to. A helper thread has
// the stage that the stepping thread of its process is in.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/kinds.h"
#include "analysis/step_finder.h"
#include "analysis/steps.h"
#include "analysis/tables/rows.h"
#include "trace/event_type.h"

namespace stepscope {

// The stages in the order in which they are shown, and what remains.
inline constexpr std::array<uint16_t, 4> kStageTypes = {
    STEPSCOPE_DATALOADER, STEPSCOPE_FORWARD, STEPSCOPE_BACKWARD,
    STEPSCOPE_OPTIMIZATION};
inline constexpr size_t kStageSlots = kStageTypes.size() + 1;
inline constexpr size_t kOtherStage = kStageTypes.size();

inline std::string_view StageName(size_t slot) {
  return slot == kOtherStage ? kOthersName : EventTypeName(kStageTypes[slot]);
}
inline size_t StageSlot(uint16_t type) {
  return static_cast<size_t>(
      std::find(kStageTypes.begin(), kStageTypes.end(), type) -
      kStageTypes.begin());
}

// Refers to the tree and the steps. Thread-safe once made.
class StageLookup {
 public:
  static constexpr size_t kNoStage = SIZE_MAX;  // outside of the steps

  StageLookup(const EventTree& tree, const StepTable& steps)
      : tree_(tree), steps_(steps), finder_(tree, steps) {
    const auto stages = steps.stages();
    first_.assign(tree.threads().size() + 1, 0);
    for (const StepInterval& stage : stages) ++first_[stage.thread + 1];
    for (size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
  }

  // The slot of the stage in force, or kNoStage.
  size_t Find(uint32_t thread, int64_t time_ns) const {
    const uint32_t process = tree_.threads()[thread].process;
    const bool own =
        steps_.CountsStages(thread) && first_[thread] != first_[thread + 1];
    const uint32_t main = steps_.main_thread(process);
    const uint32_t at = own || main == kNoThread ? thread : main;
    const auto stages =
        steps_.stages().subspan(first_[at], first_[at + 1] - first_[at]);
    const auto after =
        std::upper_bound(stages.begin(), stages.end(), time_ns,
                         [](int64_t time, const StepInterval& stage) {
                           return time < stage.range.begin;
                         });
    if (after != stages.begin() && time_ns < after[-1].range.end)
      return StageSlot(after[-1].type);
    const bool outside = finder_.total() > 0 &&
                         finder_.Find(process, time_ns) == StepFinder::kNone;
    return outside ? kNoStage : kOtherStage;
  }

 private:
  const EventTree& tree_;
  const StepTable& steps_;
  const StepFinder finder_;
  std::vector<size_t> first_;  // by thread, into the stages
};

}  // namespace stepscope
