// SPDX-License-Identifier: Apache-2.0
//
// StackedArea: how much each of a few groups holds over time, at every zoom.
// A column of a screen shows the instant of its time at which all together hold
// most: no peak is lost, and the groups of a column add up to what was held.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace stepscope {

struct HeldChange {
  int64_t time_ns = 0;
  int64_t bytes = 0;  // negative: given back
  uint32_t group = 0;
  // What is held in all after it, where that is known; what the groups do not
  // explain of it is the last group's. Negative: unknown.
  int64_t total = -1;
};

class StackedArea {
 public:
  // Changes are ordered by time.
  using ChangeAt = std::function<HeldChange(size_t i)>;
  static constexpr size_t kNone = SIZE_MAX;

  struct Sample {
    int64_t time_ns = 0;
    size_t change = kNone;      // after which it is so; kNone: before the first
    std::vector<int64_t> held;  // by group
  };

  // `groups`: with the last one, which has what the others do not explain.
  StackedArea(size_t changes, uint32_t groups, ChangeAt at);

  // First what is held at `begin`, then a sample for each column in which
  // something changes.
  std::vector<Sample> Draw(int64_t begin_ns, int64_t end_ns,
                           uint32_t columns) const;
  // The instant at which most is held; the first of these.
  Sample Peak() const;

 private:
  // So many changes are looked at one by one.
  static constexpr size_t kPart = 1024;
  struct Part {
    int64_t begin_ns = 0;  // of the first change
    int64_t most_ns = 0;
    size_t most = kNone;
  };
  class Sweep;

  size_t parts() const { return parts_.size(); }
  Sample BeforePart(size_t part) const;
  Sample MostOf(size_t part) const;

  const size_t changes_;
  const uint32_t groups_;
  const ChangeAt at_;
  std::vector<Part> parts_;
  std::vector<int64_t> before_;  // of each part, by group
  std::vector<int64_t> most_;
};

}  // namespace stepscope
