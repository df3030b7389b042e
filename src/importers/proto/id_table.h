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
      known_.resize(dense_.size());
    }
    if (id >= dense_.size()) return sparse_[id];
    const auto index = static_cast<size_t>(id);
    if (!known_[index]) {
      // It may have come before the table reached so far.
      if (const auto it = sparse_.find(id); it != sparse_.end())
        return it->second;
      known_[index] = true;
    }
    return dense_[index];
  }
  const T* Find(uint64_t id) const {
    if (id < dense_.size() && known_[static_cast<size_t>(id)]) [[likely]]
      return &dense_[static_cast<size_t>(id)];
    const auto it = sparse_.find(id);
    return it == sparse_.end() ? nullptr : &it->second;
  }

 private:
  static constexpr uint64_t kFirst = 64;

  std::vector<T> dense_;
  std::vector<bool> known_;
  std::unordered_map<uint64_t, T> sparse_;
};

}  // namespace stepscope::proto
