// SPDX-License-Identifier: Apache-2.0
//
// FlatMap: 64-bit key to dense 32-bit slot, open addressing, no deletion. For
// grouping by a pair of ids on paths where a node-based map is too slow.
#pragma once

#include <cstdint>
#include <vector>

namespace stepscope {

class FlatMap {
 public:
  static constexpr uint32_t kNew = 0xffffffffu;

  // The slot of `key`, or kNew after having given it the next free one.
  uint32_t Insert(uint64_t key) {
    if (2 * (size_ + 1) > cells_.size()) Grow();
    Cell& cell = cells_[Locate(key)];
    if (cell.slot != kNew) return cell.slot;
    cell = {key, size_++};
    return kNew;
  }
  // The slot of `key`, or kNew if it is not here.
  uint32_t Find(uint64_t key) const {
    return cells_.empty() ? kNew : cells_[Locate(key)].slot;
  }
  uint32_t size() const { return size_; }

 private:
  struct Cell {
    uint64_t key = 0;
    uint32_t slot = kNew;
  };

  size_t Locate(uint64_t key) const {
    const uint64_t hash = (key ^ (key >> 31)) * 0x9e3779b97f4a7c15u;
    size_t at = static_cast<size_t>(hash >> 20) & (cells_.size() - 1);
    while (cells_[at].slot != kNew && cells_[at].key != key)
      at = (at + 1) & (cells_.size() - 1);
    return at;
  }
  void Grow() {
    std::vector<Cell> old(cells_.empty() ? 64 : 2 * cells_.size());
    old.swap(cells_);
    for (const Cell& cell : old)
      if (cell.slot != kNew) cells_[Locate(cell.key)] = cell;
  }

  std::vector<Cell> cells_;
  uint32_t size_ = 0;
};

}  // namespace stepscope
