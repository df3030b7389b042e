// SPDX-License-Identifier: Apache-2.0
//
// Bins: the lowest row that is free at an event's start. Events of one row
// never overlap, not even by nesting. O(log rows) an event.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

namespace stepscope::proto {

class Bins {
 public:
  // REQUIRES: calls in the order of starts.
  uint32_t Place(int64_t start, int64_t end) {
    // Nothing overlaps, as a rule for long stretches.
    if (count_ == 1 && busy_.top().first <= start) {
      busy_.pop();
      busy_.emplace(end, 0u);
      return 0;
    }
    while (!busy_.empty() && busy_.top().first <= start) {
      free_.push(busy_.top().second);
      busy_.pop();
    }
    uint32_t bin = count_;
    if (free_.empty()) {
      ++count_;
    } else {
      bin = free_.top();
      free_.pop();
    }
    busy_.emplace(end, bin);
    return bin;
  }

 private:
  template <typename T>
  using Smallest = std::priority_queue<T, std::vector<T>, std::greater<>>;

  Smallest<std::pair<int64_t, uint32_t>> busy_;  // end, bin
  Smallest<uint32_t> free_;
  uint32_t count_ = 0;
};

}  // namespace stepscope::proto
