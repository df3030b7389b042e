// SPDX-License-Identifier: Apache-2.0
//
// MeasuredGroups: counters joined to the work that ran meanwhile, by kernel,
// operator, module, device and step. A piece of work counts for one of each, so
// that those of a level, with what is outside of all, add up to the whole:
//   * of operators around each other, for the one whose floating-point
//     operations are counted (CountedCall), so that bytes stand beside these,
//     else for the innermost;
//   * of modules, for the innermost.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "analysis/counters/measured_work.h"
#include "analysis/event_tree.h"
#include "analysis/steps.h"
#include "analysis/tables/flops.h"
#include "analysis/tables/stated_peaks.h"

namespace stepscope {

class MeasuredGroups {
 public:
  // Null where the trace has no counters. `rows`: those that count, as of
  // StepSelection; empty: all. Other work takes its share all the same, and
  // steps have theirs. `calls`: as of ComputeFlops.
  static std::shared_ptr<const MeasuredGroups> Compute(
      const EventTree& tree, const StepTable& steps,
      const std::vector<bool>& rows, const std::vector<CountedCall>& calls,
      const StatedPeaks& peaks);

  enum class Level : uint8_t { kKernel, kOperator, kModule };
  static constexpr size_t kLevels = 3;

  // Of all work that counts for the name; null where there is none. Ids of the
  // trace and of a part of it (CopyPart) are the same.
  const MeasuredWork* Find(Level level, StringId name) const;
  // Names of a level that have work, by time of that, the longest first.
  std::vector<StringId> Names(Level level) const;
  // Of work that is inside nothing of that level. Not of kKernel.
  const MeasuredWork& Outside(Level level) const {
    return work_[level == Level::kOperator ? kNoOperator : kNoModule];
  }
  // Null where it had no work.
  const MeasuredWork* FindDevice(uint32_t process, int64_t device) const;
  // Launched in a step, by index of StepTable::steps(); null: nothing was.
  const MeasuredWork* FindStep(size_t step) const;
  // Of the steps together, without those of the warm-up; without steps, all.
  const MeasuredWork& steps() const { return work_[kSteps]; }
  const MeasuredWork& all() const { return work_[kAll]; }
  const StatedPeaks& peaks() const { return peaks_; }

 private:
  friend class GroupMaker;
  // In work_.
  enum : uint32_t { kAll, kSteps, kNoOperator, kNoModule, kFixed };

  std::vector<MeasuredWork> work_;
  std::array<std::vector<uint32_t>, kLevels> of_name_;  // in work_, by name
  std::vector<uint32_t> of_step_;                       // in work_
  std::map<std::pair<uint32_t, int64_t>, uint32_t> of_device_;  // in work_
  StatedPeaks peaks_;
};

}  // namespace stepscope
