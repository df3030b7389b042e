// SPDX-License-Identifier: Apache-2.0
#include "inject/step_budget.h"

#include <algorithm>
#include <utility>

namespace stepscope::inject {
namespace {

// A block lasts so long where steps are short, so that what the switch leaves
// behind (a device is told by a thread of its own) is little of it.
constexpr double kBlockNs = 250e6;
constexpr double kMostSteps = 512;
constexpr double kLeastSteps = 5;

// How many of `count` sorted values may be left out at each end so that the
// median of what they were drawn from lies between the others in 95 of 100
// cases: the binomial distribution, whatever theirs is.
uint32_t LeftOutAtEachEnd(uint32_t count) {
  double term = 1;  // no function of libm: libc is all that may be needed
  for (uint32_t i = 0; i < count; ++i) term /= 2;
  double below = 0;
  uint32_t out = 0;
  while (below + term <= 0.025) {
    below += term;
    term *= static_cast<double>(count - out) / static_cast<double>(out + 1);
    ++out;
  }
  return out;
}

}  // namespace

RecordingCost CostOf(const double* ratios, uint32_t count) {
  RecordingCost cost;
  if (count < kLeastRatios) return cost;
  double sorted[kMostRatios];
  std::copy(ratios, ratios + count, sorted);
  std::sort(sorted, sorted + count);
  const uint32_t out = LeftOutAtEachEnd(count);
  cost.known = true;
  cost.ratio = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
  cost.low = sorted[out - 1];
  cost.high = sorted[count - out];
  return cost;
}

RecordingCost StepBudget::cost() const {
  RecordingCost cost = of_full_step_;
  const double share = full_share();
  cost.ratio *= share;
  cost.low *= share;
  cost.high *= share;
  return cost;
}

bool StepBudget::Begin(int64_t now_ns, bool alone) {
  const int64_t ns = last_ns_ == 0 ? 0 : now_ns - last_ns_;
  last_ns_ = now_ns;
  if (blocks_ == 0) {
    if (warming_ > kUncounted) tried_.Add(ns);
    if (++warming_ <= kUncounted + kTried) return false;
    step_ns_ = tried_.ns();
    BeginGroup();
  } else {
    spoiled_ = spoiled_ || !alone;
    if (step_ > 0)
      counted_.Add(ns);
    else
      first_ns_[block_] = static_cast<double>(ns);
    if (++step_ == block_steps_) EndBlock();
  }
  ++steps_;
  full_steps_ += IsFull() ? 1 : 0;
  return IsFull();
}

void StepBudget::EndBlock() {
  mean_ns_[block_] = counted_.ns();
  counted_ = {};
  step_ = 0;
  if (++block_ < blocks_) return;
  EndGroup();
  BeginGroup();
}

// How much longer the block that differs and the one after it took than what
// their steps take that are not beside a switch; those of the latter, where
// there are others of its kind, `typical_ns`.
double StepBudget::SwitchNs(double typical_ns) const {
  double ns = first_ns_[odd_] - mean_ns_[odd_];
  const uint32_t after = odd_ + 1;
  if (after == blocks_) return ns;
  const double usual = blocks_ > 2 ? typical_ns : mean_ns_[after];
  ns += first_ns_[after] - usual;
  return ns + (mean_ns_[after] - usual) * (block_steps_ - 1);
}

void StepBudget::EndGroup() {
  const double odd_ns = mean_ns_[odd_];
  // Without the block that differs and, where others are left, the one after.
  double others[kMostBlocks];
  uint32_t count = 0;
  for (uint32_t i = 0; i < blocks_; ++i)
    if (i != odd_ && (i != odd_ + 1 || blocks_ == 2))
      others[count++] = mean_ns_[i];
  std::nth_element(others, others + count / 2, others + count);
  const double typical_ns = others[count / 2];
  const double full_ns = mostly_full_ ? typical_ns : odd_ns;
  step_ns_ = mostly_full_ ? odd_ns : typical_ns;
  const double full_blocks = mostly_full_ ? blocks_ - 1 : 1;
  if (!spoiled_ && step_ns_ > 0)
    ratios_[ratio_count_++ % kMostRatios] =
        full_ns / step_ns_ - 1 +
        SwitchNs(typical_ns) / (full_blocks * block_steps_ * step_ns_);
  of_full_step_ = CostOf(ratios_, ratio_count_ < kMostRatios
                                      ? static_cast<uint32_t>(ratio_count_)
                                      : kMostRatios);
}

void StepBudget::BeginGroup() {
  const double steps = step_ns_ > 0 ? kBlockNs / step_ns_ + 1 : kMostSteps;
  block_steps_ =
      static_cast<int32_t>(std::clamp(steps, kLeastSteps, kMostSteps));
  block_ = 0;
  spoiled_ = false;
  blocks_ = 2;
  mostly_full_ = false;
  const RecordingCost& cost = of_full_step_;
  if (cost.known && ratio_count_ >= kFirstGroups) {
    // Some steps are always left out, or the cost would no longer be known.
    const double wanted =
        cost.ratio > 0 ? std::min(share_ / cost.ratio, 7.0 / 8) : 7.0 / 8;
    mostly_full_ = wanted > 0.5;
    const double rare = mostly_full_ ? 1 - wanted : wanted;
    double blocks = 1 / rare + 1;
    // What was spent to find out is saved again.
    if (!mostly_full_ && full_share() > wanted) blocks *= 2;
    blocks_ =
        blocks < kMostBlocks ? static_cast<uint32_t>(blocks) : kMostBlocks;
  }
  // The block after it says what the switch left behind.
  odd_ = static_cast<uint32_t>(Random() % (blocks_ > 2 ? blocks_ - 1 : 2));
}

// xorshift64*
uint64_t StepBudget::Random() {
  random_ ^= random_ >> 12;
  random_ ^= random_ << 25;
  random_ ^= random_ >> 27;
  return (random_ * 0x2545f4914f6cdd1dULL) >> 16;
}

}  // namespace stepscope::inject
