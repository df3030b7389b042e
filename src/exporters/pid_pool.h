// SPDX-License-Identifier: Apache-2.0
//
// Numbers for processes, for formats that know a process by its pid alone:
// ranks of several hosts may share one, and some have none. Each number is
// given once.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>

namespace stepscope {

class PidPool {
 public:
  // `wanted` if it is free; else the next free one from `otherwise` on. Any
  // number of requests that want the same take no longer than others.
  int64_t Take(int64_t wanted, int64_t otherwise) {
    if (taken_.insert(wanted).second) return wanted;
    int64_t& next = next_.try_emplace(otherwise, otherwise).first->second;
    while (!taken_.insert(next).second) ++next;
    return next++;
  }

 private:
  std::unordered_set<int64_t> taken_;
  std::unordered_map<int64_t, int64_t> next_;  // by where a search began
};

}  // namespace stepscope
