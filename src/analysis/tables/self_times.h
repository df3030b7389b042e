// SPDX-License-Identifier: Apache-2.0
//
// SelfTimes: what calls take by themselves, for tables that look at some events
// of a thread only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "analysis/interval.h"

namespace stepscope {

// Self times of calls of one kind on one thread, without those of the same kind
// inside. Such calls may overlap each other, where tasks take turns on the
// thread: what they cover together is not the time of the one around.
class SelfTimes {
 public:
  explicit SelfTimes(std::vector<int64_t>& by_slot) : by_slot_(by_slot) {}

  // REQUIRES: spans as ForEachNested gives them.
  void Add(uint32_t slot, const Interval& call, const Interval& span) {
    while (!open_.empty() && open_.back().end <= span.begin) open_.pop_back();
    if (!open_.empty()) {
      Open& around = open_.back();
      const int64_t from = std::max(call.begin, around.covered_until);
      if (call.end > from) {
        int64_t& self = by_slot_[around.slot];
        self = SaturatingSubtract(self, SaturatingSubtract(call.end, from));
        around.covered_until = call.end;
      }
    }
    if (slot >= by_slot_.size()) by_slot_.resize(slot + 1, 0);
    by_slot_[slot] =
        SaturatingAdd(by_slot_[slot], SaturatingSubtract(call.end, call.begin));
    open_.push_back({slot, span.end, call.begin});
  }

 private:
  struct Open {
    uint32_t slot;
    int64_t end;
    int64_t covered_until;  // by calls inside it
  };
  std::vector<int64_t>& by_slot_;
  std::vector<Open> open_;
};

}  // namespace stepscope
