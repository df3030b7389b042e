// SPDX-License-Identifier: Apache-2.0
//
// Percentiles, exact (nearest rank), and a histogram of a set of durations.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/column.h"

namespace stepscope {

// Durations d with 2^exponent <= d < 2^(exponent + 1); exponent -1: d = 0.
struct HistogramBin {
  int exponent = 0;
  uint64_t count = 0;

  int64_t from_ns() const { return exponent < 0 ? 0 : int64_t{1} << exponent; }
  int64_t to_ns() const {  // one past the end
    return exponent >= 62 ? INT64_MAX : int64_t{1} << (exponent + 1);
  }
};

class DurationSketch;

struct Spread {
  int64_t p50_ns = 0;  // nearest rank: the ceil(n * p)-th smallest
  int64_t p90_ns = 0;
  int64_t p95_ns = 0;
  int64_t p99_ns = 0;
  std::vector<HistogramBin> histogram;  // bins that are not empty, ascending
  std::shared_ptr<const DurationSketch> sketch = {};  // if it was asked for
};

// Adds `count` durations like `value` to the histogram. REQUIRES: values
// ascend from one call to the next.
void CountBin(Spread& spread, uint64_t value, uint64_t count);

// May reorder `values`, of which none is negative. Linear; all 0 for none.
Spread ComputeSpread(std::span<int64_t> values);
// The same of `count` values that are all alike.
Spread SpreadOfEqual(int64_t value, uint64_t count);

// Durations by group, each with a known number of them, in one block of
// memory: for percentiles by name. Four bytes a value where all fit.
class GroupedValues {
 public:
  // `counts`: values that will be added to each group; `largest`: none of
  // them is above. Where memory is refused, nothing is kept.
  GroupedValues(std::span<const uint64_t> counts, int64_t largest);

  void Add(uint32_t group, int64_t value) {
    Range& range = ranges_[group];
    if (range.next == range.last) return;
    if (narrow_)
      short_[range.next++] = static_cast<uint32_t>(value);
    else
      long_[range.next++] = value;
  }
  // Of what was added; may reorder it.
  Spread SpreadOf(uint32_t group);
  DurationSketch SketchOf(uint32_t group) const;

 private:
  struct Range {  // begins where that of the group before ends
    uint64_t next = 0;
    uint64_t last = 0;
  };
  std::vector<Range> ranges_;
  bool narrow_;
  Column<uint32_t> short_;  // one of them is used
  Column<int64_t> long_;
};

// Durations of one kind, four bytes each as long as all fit. Where memory is
// refused, the rest is left out.
class Durations {
 public:
  explicit Durations(size_t room) : room_(room) {
    static_cast<void>(short_.Reserve(room));
  }
  // REQUIRES: not negative.
  void Add(int64_t value) {
    if (value > int64_t{UINT32_MAX}) Widen();
    static_cast<void>(wide_ ? long_.Append(value)
                            : short_.Append(static_cast<uint32_t>(value)));
  }
  Spread ComputeSpread();  // may reorder them
  DurationSketch ComputeSketch() const;

 private:
  void Widen();

  size_t room_;
  bool wide_ = false;
  Column<uint32_t> short_;  // one of them is used
  Column<int64_t> long_;
};

}  // namespace stepscope
