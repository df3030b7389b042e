// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <span>

#include "trace/trace.h"

namespace stepscope {

// The entries of a table sorted by row, for rows that ascend.
template <typename T>
class ByRow {
 public:
  explicit ByRow(std::span<const T> all) : all_(all), at_(all.begin()) {}

  void Seek(Row row) {
    at_ = std::lower_bound(
        all_.begin(), all_.end(), row,
        [](const T& entry, Row wanted) { return entry.row < wanted; });
  }
  Row next_row() const { return at_ == all_.end() ? kNoRow : at_->row; }
  std::span<const T> Take(Row row) {
    auto first = at_;
    while (at_ != all_.end() && at_->row == row) ++at_;
    return {first, at_};
  }

 private:
  std::span<const T> all_;
  typename std::span<const T>::iterator at_;
};

}  // namespace stepscope
