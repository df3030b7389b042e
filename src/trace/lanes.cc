// SPDX-License-Identifier: Apache-2.0
#include "trace/lanes.h"

#include <algorithm>
#include <limits>

namespace stepscope {
namespace {

constexpr int64_t kAnyEnd = std::numeric_limits<int64_t>::max();
constexpr int64_t kNoLane = std::numeric_limits<int64_t>::min();

}  // namespace

Lanes::Lanes() : tree_(2, kNoLane) {}

uint32_t Lanes::Place(int64_t start, int64_t end) {
  CloseUpTo(start);
  uint32_t lane = FirstWithRoom(end);
  if (lane == count()) stacks_.emplace_back();
  stacks_[lane].push_back(end);
  SetRoom(lane, end);
  closing_.emplace(end, lane);
  return lane;
}

// Ends every event that is over at `start`: what begins where another ends is
// its sibling.
void Lanes::CloseUpTo(int64_t start) {
  while (!closing_.empty() && closing_.top().first <= start) {
    const uint32_t lane = closing_.top().second;
    closing_.pop();
    std::vector<int64_t>& stack = stacks_[lane];
    while (!stack.empty() && stack.back() <= start) stack.pop_back();
    SetRoom(lane, stack.empty() ? kAnyEnd : stack.back());
  }
}

uint32_t Lanes::FirstWithRoom(int64_t end) const {
  if (tree_[1] < end) return count();
  uint32_t node = 1;
  while (node < leaves_) {
    node *= 2;
    if (tree_[node] < end) ++node;
  }
  return node - leaves_;
}

void Lanes::SetRoom(uint32_t lane, int64_t room) {
  if (lane >= leaves_) {
    std::vector<int64_t> wide(size_t{leaves_} * 4, kNoLane);
    std::copy(tree_.begin() + leaves_, tree_.end(), wide.begin() + leaves_ * 2);
    leaves_ *= 2;
    tree_.swap(wide);
    for (uint32_t node = leaves_ - 1; node > 0; --node)
      tree_[node] = std::max(tree_[node * 2], tree_[node * 2 + 1]);
  }
  uint32_t node = leaves_ + lane;
  tree_[node] = room;
  for (node /= 2; node > 0; node /= 2)
    tree_[node] = std::max(tree_[node * 2], tree_[node * 2 + 1]);
}

}  // namespace stepscope
