// SPDX-License-Identifier: Apache-2.0
//
// A measured quantity over the steps of a run: exact count, sum, extremes, and
// percentiles from a bounded number of values. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace stepscope::profiler {

template <typename Number>
double Seconds(Number ns) {
  return static_cast<double>(ns) / 1e9;
}

class Series {
 public:
  // Beyond this many values every second one is forgotten, again and again.
  static constexpr size_t kMaxValues = 1 << 16;

  void Add(int64_t value);

  int64_t count() const { return count_; }
  int64_t total() const { return total_; }
  int64_t max() const { return max_; }  // 0 when empty
  int64_t min() const { return min_; }
  double Mean() const {
    if (count_ == 0) return 0;
    return static_cast<double>(total_) / static_cast<double>(count_);
  }
  // One value in this many is kept for percentiles.
  int64_t stride() const { return stride_; }

  // The smallest kept value that `percent` of 100 do not exceed (nearest
  // rank). 0 when empty.
  int64_t Percentile(int percent) const;

 private:
  int64_t count_ = 0;
  int64_t total_ = 0;
  int64_t max_ = 0;
  int64_t min_ = 0;
  int64_t stride_ = 1;
  std::vector<int64_t> values_;
};

}  // namespace stepscope::profiler
