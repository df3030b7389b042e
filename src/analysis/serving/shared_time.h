// SPDX-License-Identifier: Apache-2.0
//
// SharedTime: splits the time in which something was at work among its owners.
// A nanosecond in which n owners were at work counts 1/n for each, rounded so
// that the shares add up to the time exactly.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/interval.h"

namespace stepscope {

class SharedTime {
 public:
  // Owners are numbered from 0.
  explicit SharedTime(uint32_t owners) : ns_(owners) {}

  void Add(uint32_t owner, Interval work) {
    if (work.begin < work.end) works_.push_back({work, owner});
  }
  // Deals out what was added since the last time; call it for each device.
  void Settle();

  int64_t of(uint32_t owner) const { return ns_[owner]; }
  int64_t total() const { return total_; }

 private:
  struct Work {
    Interval interval;
    uint32_t owner;
  };
  void Deal(const std::vector<uint32_t>& owners, int64_t length);

  std::vector<Work> works_;
  std::vector<int64_t> ns_;
  int64_t total_ = 0;
  uint64_t turn_ = 0;
};

}  // namespace stepscope
