// SPDX-License-Identifier: Apache-2.0
#include "profiler/series.h"

#include <algorithm>

namespace stepscope::profiler {

void Series::Add(int64_t value) {
  if (count_ == 0 || value > max_) max_ = value;
  if (count_ == 0 || value < min_) min_ = value;
  if (count_ % stride_ == 0) {
    if (values_.size() == kMaxValues) {
      // values_[i] was added as number i * stride_: keep the even ones. The
      // value at hand has an even number too, kMaxValues being even.
      for (size_t i = 0; i < kMaxValues / 2; ++i) values_[i] = values_[2 * i];
      values_.resize(kMaxValues / 2);
      stride_ *= 2;
    }
    values_.push_back(value);
  }
  ++count_;
  total_ += value;
}

int64_t Series::Percentile(int percent) const {
  if (values_.empty()) return 0;
  std::vector<int64_t> sorted = values_;
  size_t rank = (sorted.size() * static_cast<size_t>(percent) + 99) / 100;
  auto nth = sorted.begin() + static_cast<ptrdiff_t>(rank == 0 ? 0 : rank - 1);
  std::nth_element(sorted.begin(), nth, sorted.end());
  return *nth;
}

}  // namespace stepscope::profiler
