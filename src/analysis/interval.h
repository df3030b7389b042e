// SPDX-License-Identifier: Apache-2.0
//
// Interval algebra in integer nanoseconds. An IntervalSet holds half-open
// ranges that are sorted, not empty and apart from each other; all operations
// are linear in their input.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace stepscope {

struct Interval {
  int64_t begin = 0;
  int64_t end = 0;  // one past the last nanosecond
  friend bool operator==(const Interval&, const Interval&) = default;
};

using IntervalSet = std::vector<Interval>;

// Sum and difference that stay at the ends of int64 instead of wrapping:
// times come from files, and files lie.
inline int64_t SaturatingAdd(int64_t a, int64_t b) {
  int64_t sum;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return a < 0 ? INT64_MIN : INT64_MAX;
}
inline int64_t SaturatingSubtract(int64_t a, int64_t b) {
  int64_t difference;
  if (!__builtin_sub_overflow(a, b, &difference)) return difference;
  return a < 0 ? INT64_MIN : INT64_MAX;
}
inline int64_t Magnitude(int64_t value) {
  return value < 0 ? SaturatingSubtract(0, value) : value;
}

int64_t TotalLength(std::span<const Interval> set);
IntervalSet Union(std::span<const Interval> a, std::span<const Interval> b);
IntervalSet Intersection(std::span<const Interval> a,
                         std::span<const Interval> b);
// What is in `a` and not in `b`.
IntervalSet Difference(std::span<const Interval> a,
                       std::span<const Interval> b);

// The length of the intersection.
int64_t OverlapLength(std::span<const Interval> a, std::span<const Interval> b);

// Deals a set out piece by piece. Keeps its memory from one to the next.
class Remainder {
 public:
  const IntervalSet& rest() const { return rest_; }
  void Reset(std::span<const Interval> whole) {
    rest_.assign(whole.begin(), whole.end());
  }
  // Moves what `set` covers out of the rest into `taken`, which it replaces.
  // Returns the length that was moved.
  int64_t Take(std::span<const Interval> set, IntervalSet& taken);

 private:
  IntervalSet rest_;
  IntervalSet left_;
};

// Collects ranges, in any order and overlapping, and makes a set of them.
// Ranges that come sorted by begin (the rows of a track do) cost one
// comparison each; a step back starts a new run, and runs are merged pairwise
// at the end.
class IntervalCollector {
 public:
  void Add(int64_t begin, int64_t end) {
    if (begin >= end) return;
    if (!parts_.empty() && begin >= parts_.back().begin) {
      if (begin <= parts_.back().end) {
        if (end > parts_.back().end) parts_.back().end = end;
        return;
      }
    } else if (!parts_.empty()) {
      runs_.push_back(parts_.size());
    }
    parts_.push_back({begin, end});
  }
  // The set of all that was added; the collector is empty afterwards.
  IntervalSet Finish();
  // The same into `set`, whose memory the collector goes on with.
  void Finish(IntervalSet& set);

 private:
  void Normalise();

  std::vector<Interval> parts_;
  std::vector<size_t> runs_;  // where a run begins, but for the first
};

// The length of a union. Where all ranges come in one run, sorted by begin,
// nothing needs to be kept.
class BusyTime {
 public:
  explicit BusyTime(bool one_run = false) : one_run_(one_run) {}

  // REQUIRES: with one run, `begin` does not decrease.
  void Add(int64_t begin, int64_t end) {
    if (!one_run_) {
      collector_.Add(begin, end);
      return;
    }
    if (begin >= end) return;
    const int64_t from = begin > until_ ? begin : until_;
    if (end <= from) return;
    total_ = SaturatingAdd(total_, SaturatingSubtract(end, from));
    until_ = end;
  }
  int64_t Finish() {
    return one_run_ ? total_ : TotalLength(collector_.Finish());
  }

 private:
  bool one_run_;
  int64_t total_ = 0;
  int64_t until_ = INT64_MIN;
  IntervalCollector collector_;
};

}  // namespace stepscope
