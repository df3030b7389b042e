// SPDX-License-Identifier: Apache-2.0
//
// IdTable: values by 64-bit id. Ids are small and dense as a rule, and then a
// lookup is an index; others go through a map, so that no id costs memory.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace stepscope::proto {

template <typename T>
class IdTable {
 public:
  // The value of `id`, made if there is none. Lasts until the next call.
  T& Add(uint64_t id) {
    // Grows with the number of ids, not with their size.
    if (id >= dense_.size() && id < 2 * dense_.size() + kFirst &&
        sparse_.find(id) == sparse_.end()) {
      dense_.resize(static_cast<size_t>(id) + 1);
      dense_count_ = dense_.size();
    }
    if (id >= dense_.size()) return sparse_[id];
    Slot& slot = dense_[static_cast<size_t>(id)];
    if (!slot.known) {
      // It may have come before the table reached so far.
      if (const auto it = sparse_.find(id); it != sparse_.end())
        return it->second;
      slot.known = true;
    }
    return slot.value;
  }
  const T* Find(uint64_t id) const {
    if (id < dense_count_) [[likely]] {
      const Slot& slot = dense_[static_cast<size_t>(id)];
      if (slot.known) [[likely]]
        return &slot.value;
    }
    return FindSparse(id);
  }

 private:
  static constexpr uint64_t kFirst = 64;
  struct Slot {
    T value;
    bool known = false;
  };

  const T* FindSparse(uint64_t id) const {
    const auto it = sparse_.find(id);
    return it == sparse_.end() ? nullptr : &it->second;
  }

  size_t dense_count_ = 0;  // of dense_, which would divide to know it
  std::vector<Slot> dense_;
  std::unordered_map<uint64_t, T> sparse_;
};

}  // namespace stepscope::proto
