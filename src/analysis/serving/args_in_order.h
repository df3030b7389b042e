// SPDX-License-Identifier: Apache-2.0
//
// The arguments of events that are asked for in the order of their rows, as a
// rule: those of the next one are near, and no search is needed.
#pragma once

#include <algorithm>
#include <span>

#include "trace/trace.h"

namespace stepscope {

class ArgsInOrder {
 public:
  explicit ArgsInOrder(const Trace& trace) : args_(trace.args()) {}

  std::span<const Arg> Of(Row row) {
    constexpr int kNear = 8;
    const auto before = [&](const Arg& arg) { return arg.row < row; };
    if (at_ > 0 && !before(args_[at_ - 1])) at_ = 0;  // a step back
    for (int i = 0; i < kNear && at_ < args_.size() && before(args_[at_]); ++i)
      ++at_;
    auto first = args_.begin() + static_cast<ptrdiff_t>(at_);
    if (first != args_.end() && before(*first)) {
      first = std::partition_point(first, args_.end(), before);
      at_ = static_cast<size_t>(first - args_.begin());
    }
    auto last = first;
    while (last != args_.end() && last->row == row) ++last;
    return {first, last};
  }

 private:
  const std::span<const Arg> args_;
  size_t at_ = 0;  // of the row that was asked for last, or of the next one
};

}  // namespace stepscope
