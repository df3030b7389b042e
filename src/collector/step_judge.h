// SPDX-License-Identifier: Apache-2.0
//
// Whether a step was slow: against the median of those before it. Pure; no
// clock, no allocation.
#pragma once

#include <algorithm>
#include <cstdint>

namespace stepscope::collector {

class StepJudge {
 public:
  static constexpr uint32_t kKept = 128;
  // The first steps of a program load, compile and allocate: they are neither
  // judged nor part of the median.
  static constexpr uint32_t kWarmUp = 5;
  static constexpr uint32_t kLeast = 10;  // for a median

  void Reset() { *this = StepJudge(); }

  // 0 as long as there are too few.
  int64_t median_ns() const { return median_; }

  // A step took `ns`. True if that was `factor` times the median, and a
  // millisecond more than it: what is lost in shorter ones is nobody's loss.
  bool IsSlow(int64_t ns, double factor) {
    if (++seen_ <= kWarmUp) return false;
    const bool slow =
        median_ > 0 && factor > 0 &&
        static_cast<double>(ns) > factor * static_cast<double>(median_) &&
        ns - median_ > 1000000;
    kept_[count_++ % kKept] = ns;
    const uint32_t n = count_ < kKept ? count_ : kKept;
    if (n >= kLeast) {
      int64_t sorted[kKept];
      std::copy(kept_, kept_ + n, sorted);
      std::nth_element(sorted, sorted + n / 2, sorted + n);
      median_ = sorted[n / 2];
    }
    return slow;
  }

 private:
  uint64_t seen_ = 0;
  uint32_t count_ = 0;
  int64_t median_ = 0;
  int64_t kept_[kKept] = {};
};

}  // namespace stepscope::collector
