// SPDX-License-Identifier: Apache-2.0
//
// AutogradPasses: the forward and backward passes of one process of torch, from
// the functions that autograd evaluates. stages.h says by which rule.
#pragma once

#include <stepscope/c.h>

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "analysis/autograd_names.h"
#include "analysis/event_tree.h"
#include "analysis/steps.h"

namespace stepscope {

// Not thread-safe; refers to what it is given.
class AutogradPasses {
 public:
  // `threads`: of the process, the second one past the last. `main`: the one
  // that steps, or kNoThread.
  AutogradPasses(const EventTree& tree, const AutogradNames& autograd,
                 std::pair<uint32_t, uint32_t> threads, uint32_t main)
      : tree_(tree), autograd_(autograd), threads_(threads), main_(main) {}

  void AddStep(const StepInterval& step) {
    if (step.thread == main_) steps_.push_back(step.range);
  }
  void AddMark(const StepInterval& stage);

  // Appends what follows from autograd's events. Returns the stepping thread,
  // kNoThread where there is none.
  uint32_t AddTo(std::vector<StepInterval>& stages);

 private:
  static constexpr size_t kTypes = STEPSCOPE_OPTIMIZATION + 1;
  static bool IsPass(uint16_t type) {
    return type == STEPSCOPE_FORWARD || type == STEPSCOPE_BACKWARD;
  }
  const Trace& trace() const { return tree_.trace(); }
  Interval RangeOf(Row row) const {
    return {trace().start_ns()[row], tree_.end_ns(row)};
  }

  // An operator of the stepping thread that no other one contains.
  struct OuterOperator {
    Interval range;
    Row row = kNoRow;
    bool is_used = false;  // by a later function of autograd
  };
  // A contiguous run of functions or of operators.
  struct Pass {
    Interval range;
    Row row = kNoRow;  // of the first
  };

  uint32_t ChooseMainThread() const;
  void CollectOperators();
  void CollectThread(uint32_t thread, std::vector<Pass>& functions);
  void FindPasses(std::vector<Pass> functions);
  bool IsCut(int64_t from, int64_t to) const;
  void UseSequenceNumbers();
  void UseBefore(Row row);
  Interval ForwardWindow(size_t pass) const;
  bool IsForward(const OuterOperator& op, bool is_last) const;
  bool IsInterrupted(int64_t from, int64_t to) const;
  std::vector<Pass> ForwardOf(size_t pass) const;
  void Emit(const Pass& stage, uint16_t type,
            std::vector<StepInterval>& stages) const;

  const EventTree& tree_;
  const AutogradNames& autograd_;
  const std::pair<uint32_t, uint32_t> threads_;
  uint32_t main_;
  std::vector<Interval> steps_;  // of the stepping thread
  std::array<bool, kTypes> marked_{};
  IntervalCollector marks_;  // of the stepping thread
  IntervalSet marked_set_;
  IntervalSet zeroing_;         // of gradients: no stage, but no forward either
  IntervalSet forward_ranges_;  // that torch recorded around a model
  std::vector<int64_t> cuts_;   // where a pass cannot go on
  std::vector<OuterOperator> operators_;
  std::vector<int64_t> optimizer_ends_;  // of the stepping thread
  bool has_used_ = false;
  std::vector<Pass> passes_;
};

}  // namespace stepscope
