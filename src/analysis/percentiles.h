// SPDX-License-Identifier: Apache-2.0
//
// Percentiles, exact (nearest rank), and a histogram of a set of durations.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

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

struct Spread {
  int64_t p50_ns = 0;  // nearest rank: the ceil(n * p)-th smallest
  int64_t p90_ns = 0;
  int64_t p99_ns = 0;
  std::vector<HistogramBin> histogram;  // bins that are not empty, ascending
};

// May reorder `values`, of which none is negative. Linear; all 0 for none.
Spread ComputeSpread(std::span<int64_t> values);
// The same of `count` values that are all alike.
Spread SpreadOfEqual(int64_t value, uint64_t count);

// Durations by group, each with a known number of them, in one block of
// memory: for percentiles by name.
class GroupedValues {
 public:
  // `counts`: values that will be added to each group.
  explicit GroupedValues(std::span<const uint64_t> counts);

  void Add(uint32_t group, int64_t value) {
    uint64_t& at = next_[group];
    if (at < last_[group]) values_[at++] = value;
  }
  // Of what was added; may reorder it.
  Spread SpreadOf(uint32_t group);

 private:
  std::vector<uint64_t> next_;
  std::vector<uint64_t> last_;
  std::vector<int64_t> values_;
};

}  // namespace stepscope
