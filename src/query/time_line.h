// SPDX-License-Identifier: Apache-2.0
//
// TimeLine: what holds from one moment until the next, for questions that
// come nearly in the order of time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace stepscope {

template <typename Value>
class TimeLine {
 public:
  // REQUIRES: `time_ns` after that of the last call.
  void Add(int64_t time_ns, const Value& value) {
    times_.push_back(time_ns);
    values_.push_back(value);
  }
  // What holds at a time; `before` is what holds earlier than all. `likely`:
  // an earlier answer's place, kept by the caller.
  const Value& At(int64_t time_ns, size_t& likely, const Value& before) const {
    if (likely < times_.size() && times_[likely] <= time_ns &&
        (likely + 1 == times_.size() || time_ns < times_[likely + 1]))
      return values_[likely];
    const auto after = std::upper_bound(times_.begin(), times_.end(), time_ns);
    if (after == times_.begin()) return before;
    likely = static_cast<size_t>(after - times_.begin()) - 1;
    return values_[likely];
  }
  bool empty() const { return times_.empty(); }

 private:
  std::vector<int64_t> times_;
  std::vector<Value> values_;
};

}  // namespace stepscope
