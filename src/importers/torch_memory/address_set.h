// SPDX-License-Identifier: Apache-2.0
//
// AddressSet: addresses that were seen, for tens of millions of questions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace stepscope::torch_memory {

class AddressSet {
 public:
  AddressSet() : slots_(16) {}

  // Whether it was not there.
  bool Insert(uint64_t address) {
    if (address == 0) {
      const bool fresh = !zero_;
      zero_ = true;
      return fresh;
    }
    uint64_t& slot = slots_[Find(address)];
    if (slot == address) return false;
    slot = address;
    if (++count_ * 2 > slots_.size()) Grow();
    return true;
  }
  bool Contains(uint64_t address) const {
    return address == 0 ? zero_ : slots_[Find(address)] == address;
  }

 private:
  size_t Find(uint64_t address) const {
    const size_t mask = slots_.size() - 1;
    uint64_t hash = address * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 32;
    size_t at = static_cast<size_t>(hash) & mask;
    while (slots_[at] != 0 && slots_[at] != address) at = (at + 1) & mask;
    return at;
  }
  void Grow() {
    std::vector<uint64_t> old(slots_.size() * 2);
    old.swap(slots_);
    for (const uint64_t address : old)
      if (address != 0) slots_[Find(address)] = address;
  }

  std::vector<uint64_t> slots_;  // 0: empty
  size_t count_ = 0;
  bool zero_ = false;
};

}  // namespace stepscope::torch_memory
