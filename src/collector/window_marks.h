// SPDX-License-Identifier: Apache-2.0
//
// How long the capture of a session was at which instants. What stood in the
// file at an instant had been recorded before: a window that begins later needs
// nothing of it but what was open then. The older two marks are, the further
// they lie apart, so that a few serve a file of any length, and a window is
// found to within a share of its own size.
#pragma once

#include <cstdint>

#include "format/block.h"

namespace stepscope::collector {

struct WindowMark {
  format::Anchor anchor;
  uint64_t bytes;
};

class WindowMarks {
 public:
  static constexpr uint32_t kMarks = 256;
  static constexpr uint64_t kSpacing = 32 * 1024;

  void Clear() { count_ = 0; }
  uint32_t count() const { return count_; }

  bool IsDue(uint64_t bytes) const {
    return count_ == 0 || bytes >= marks_[count_ - 1].bytes + kSpacing;
  }
  void Add(const WindowMark& mark) {
    if (count_ == kMarks) Thin();
    marks_[count_++] = mark;
  }
  // The last one before `tick`, or null.
  const WindowMark* Before(uint64_t tick) const {
    uint32_t low = 0;
    uint32_t high = count_;
    while (low < high) {
      const uint32_t middle = (low + high) / 2;
      if (marks_[middle].anchor.tick < tick)
        low = middle + 1;
      else
        high = middle;
    }
    return low == 0 ? nullptr : &marks_[low - 1];
  }

 private:
  // Takes out the one that is missed least: of the shortest gap for its age.
  void Thin() {
    uint32_t least = 1;
    double shortest = 2;
    for (uint32_t i = 1; i + 1 < count_; ++i) {
      const auto gap =
          static_cast<double>(marks_[i + 1].bytes - marks_[i - 1].bytes);
      const auto age =
          static_cast<double>(marks_[count_ - 1].bytes - marks_[i - 1].bytes);
      if (gap / age >= shortest) continue;
      shortest = gap / age;
      least = i;
    }
    for (uint32_t i = least; i + 1 < count_; ++i) marks_[i] = marks_[i + 1];
    --count_;
  }

  uint32_t count_ = 0;
  WindowMark marks_[kMarks] = {};
};

}  // namespace stepscope::collector
