// SPDX-License-Identifier: Apache-2.0
//
// StepBudget: which steps are recorded in full, so that recording them takes no
// more than a share of the program's time. What a full step costs is not known
// beforehand, so it is measured all along: steps go in blocks, in each group of
// blocks one that was drawn by lot differs from the others (full among left
// out, or left out among full), and the group gives one ratio: that block's
// mean step and the median of the others'. What switching takes, in that
// block's first step and in the block after it, is added. The cost is the
// median of the ratios of the last groups, with the interval that holds it in
// 95 of 100 cases, whatever their distribution. Pure; no clock, no allocation.
// Not thread-safe.
#pragma once

#include <cstdint>

namespace stepscope::inject {

// What is said of it in the capture, at each step; analysis/recording_budget.h
// reads it. Ratios, but for the first, which is 1 for a step recorded in full.
inline constexpr const char* kFullStepCounter = "recorded in full";
// The same, in a process with a device whose work is left out of the others.
inline constexpr const char* kFullDeviceCounter = "device recorded in full";
inline constexpr const char* kFullShareCounter = "share recorded in full";
inline constexpr const char* kCostCounter = "cost of recording";
inline constexpr const char* kCostLowCounter = "cost of recording, at least";
inline constexpr const char* kCostHighCounter = "cost of recording, at most";

// Ratios: 0.02 is two hundredths of the time without.
struct RecordingCost {
  bool known = false;  // there were enough groups
  double ratio = 0;
  double low = 0;
  double high = 0;
};

// The median of `ratios`, with its interval; not known of fewer than
// kLeastRatios. At most kMostRatios.
inline constexpr uint32_t kLeastRatios = 6;
inline constexpr uint32_t kMostRatios = 64;
RecordingCost CostOf(const double* ratios, uint32_t count);

class StepBudget {
 public:
  constexpr StepBudget() = default;
  // `share` of the time may be spent; 0: there is no budget.
  constexpr StepBudget(double share, uint64_t seed)
      : share_(share), random_(seed | 1) {}

  bool on() const { return share_ > 0; }

  // A step begins, and the one before it ended. `alone`: nothing but this
  // decided how that one was recorded. Returns whether to record the new one
  // in full.
  bool Begin(int64_t now_ns, bool alone);

  // What the steps so far have cost: of a full step, times their share.
  RecordingCost cost() const;
  // Of the steps so far, without the first ones, in which nothing is decided.
  double full_share() const {
    return steps_ == 0
               ? 0
               : static_cast<double>(full_steps_) / static_cast<double>(steps_);
  }
  uint32_t blocks_in_group() const { return blocks_; }

 private:
  static constexpr int32_t kUncounted = 5;     // first steps of a program
  static constexpr int32_t kTried = 8;         // that tell how long a step is
  static constexpr uint32_t kFirstGroups = 8;  // of two blocks each
  static constexpr uint32_t kMostBlocks = 256;

  struct Mean {
    double sum_ns = 0;
    double count = 0;
    void Add(int64_t ns) {
      sum_ns += static_cast<double>(ns);
      ++count;
    }
    double ns() const { return count > 0 ? sum_ns / count : 0; }
  };

  double SwitchNs(double typical_ns) const;
  void EndBlock();
  void EndGroup();
  void BeginGroup();
  uint64_t Random();
  bool IsFull() const { return (block_ == odd_) != mostly_full_; }

  double share_ = 0;
  uint64_t random_ = 1;
  int64_t last_ns_ = 0;
  int32_t warming_ = 0;  // steps that began before the first group
  Mean tried_;           // the last of these
  double step_ns_ = 0;   // one that is not recorded in full, about
  // The group.
  uint32_t blocks_ = 0;  // 0: not begun
  uint32_t odd_ = 0;     // the block that differs
  bool mostly_full_ = false;
  bool spoiled_ = false;  // somebody else decided about a step of it
  double mean_ns_[kMostBlocks] = {};   // of a step but the first, by block
  double first_ns_[kMostBlocks] = {};  // of the first one
  // The block.
  uint32_t block_ = 0;
  int32_t block_steps_ = 0;  // that it has
  int32_t step_ = 0;         // the one that it is in
  Mean counted_;
  // Since the first group.
  int64_t steps_ = 0;
  int64_t full_steps_ = 0;
  double ratios_[kMostRatios] = {};
  uint64_t ratio_count_ = 0;
  RecordingCost of_full_step_;
};

}  // namespace stepscope::inject
