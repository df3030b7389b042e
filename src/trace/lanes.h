// SPDX-License-Identifier: Apache-2.0
//
// Lanes: lays events out so that on each lane any two either nest or are
// apart, each event on the lowest lane where that holds. Takes O(log lanes) an
// event, whatever overlaps.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

namespace stepscope {

class Lanes {
 public:
  Lanes();

  // The lane of [start, end). REQUIRES: calls ordered by (start, -end).
  uint32_t Place(int64_t start, int64_t end);
  uint32_t count() const { return static_cast<uint32_t>(stacks_.size()); }

 private:
  uint32_t FirstWithRoom(int64_t end) const;
  void SetRoom(uint32_t lane, int64_t room);
  void CloseUpTo(int64_t start);

  std::vector<std::vector<int64_t>> stacks_;  // ends of open events, by lane
  // Heap-shaped tree over lanes; leaf = the latest end that an event placed
  // there may have, inner = the largest below.
  std::vector<int64_t> tree_;
  uint32_t leaves_ = 1;
  // (end of innermost event, lane), earliest first; entries may be stale.
  using Closing = std::pair<int64_t, uint32_t>;
  std::priority_queue<Closing, std::vector<Closing>, std::greater<>> closing_;
};

}  // namespace stepscope
