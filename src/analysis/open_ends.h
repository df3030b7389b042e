// SPDX-License-Identifier: Apache-2.0
//
// OpenEnds: a stack of ends of events, ordered by start, in which some end
// before those above them. Finds the uppermost that lasts long enough in
// O(log size), however many overlap.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace stepscope {

class OpenEnds {
 public:
  static constexpr size_t kNone = std::numeric_limits<size_t>::max();

  size_t size() const { return size_; }
  int64_t back() const { return tree_[leaves_ + size_ - 1]; }

  void Push(int64_t end) {
    if (size_ == leaves_) Grow();
    Set(size_++, end);
  }
  void Pop() { Set(--size_, kOver); }

  // The uppermost that ends at `end` or later; kNone: none does.
  size_t LastThatReaches(int64_t end) const {
    if (tree_[1] < end) return kNone;
    size_t node = 1;
    while (node < leaves_) {
      node = 2 * node + 1;
      if (tree_[node] < end) --node;
    }
    return node - leaves_;
  }

 private:
  static constexpr int64_t kOver = std::numeric_limits<int64_t>::min();

  void Set(size_t place, int64_t end) {
    size_t node = leaves_ + place;
    tree_[node] = end;
    for (node /= 2; node > 0; node /= 2)
      tree_[node] = std::max(tree_[2 * node], tree_[2 * node + 1]);
  }

  void Grow() {
    std::vector<int64_t> wide(4 * leaves_, kOver);
    std::copy(tree_.begin() + static_cast<std::ptrdiff_t>(leaves_), tree_.end(),
              wide.begin() + static_cast<std::ptrdiff_t>(2 * leaves_));
    leaves_ *= 2;
    tree_.swap(wide);
    for (size_t node = leaves_ - 1; node > 0; --node)
      tree_[node] = std::max(tree_[2 * node], tree_[2 * node + 1]);
  }

  // Heap-shaped: a leaf is an end, what is above it the latest below.
  size_t leaves_ = 1;
  size_t size_ = 0;
  std::vector<int64_t> tree_ = {kOver, kOver};
};

}  // namespace stepscope
