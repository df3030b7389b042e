// SPDX-License-Identifier: Apache-2.0
//
// Where the steps of a program that does not name them begin. Several things
// hint at it, and the best hint that was ever seen decides, on the thread
// where it was seen first:
//
//   1. the program says so: ProfileStep#n, stepscope_step(), or ranges that
//      match --step-range;
//   2. a DataLoader is asked for a batch: a step begins;
//   3. an optimizer has stepped: a step has ended. The first begins with
//      Optimizer.zero_grad if that comes earlier.
//
// Not thread-safe: the recording's lock guards it.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace stepscope::inject {

enum class StepHint : uint8_t { kNone, kOptimizer, kLoader, kExplicit };

class StepRule {
 public:
  // True if a step begins here.
  bool Begins(StepHint hint, pid_t thread) {
    if (hint < best_) return false;
    if (hint > best_) {
      best_ = hint;
      thread_ = thread;
    }
    return thread == thread_;
  }
  // Before the first step of an optimizer; true if a step begins here.
  bool BeginsWithZeroGrad(pid_t thread) {
    return best_ == StepHint::kNone && Begins(StepHint::kOptimizer, thread);
  }
  StepHint best() const { return best_; }

 private:
  StepHint best_ = StepHint::kNone;
  pid_t thread_ = 0;
};

// Which steps are recorded, from the count of those that began.
class StepWindow {
 public:
  enum class Action : uint8_t { kNone, kPrepare, kStart, kStop };

  StepWindow() = default;
  StepWindow(int64_t first, int64_t last) : first_(first), last_(last) {}

  bool bounded() const { return last_ >= 0; }
  // True if step 0, and what comes before it, is recorded.
  bool OpenAtFirst() const { return !bounded() || first_ == 0; }

  // Step `index` begins.
  Action Begin(int64_t index) const {
    if (!bounded()) return Action::kNone;
    if (index == last_) return Action::kStop;
    if (index == first_ && index > 0) return Action::kStart;
    if (index + 1 == first_) return Action::kPrepare;
    return Action::kNone;
  }
  // Step `index` ended, and the next has not begun.
  Action End(int64_t index) const {
    return bounded() && index + 1 == last_ ? Action::kStop : Action::kNone;
  }

 private:
  int64_t first_ = 0;
  int64_t last_ = -1;
};

}  // namespace stepscope::inject
