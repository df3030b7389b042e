// SPDX-License-Identifier: Apache-2.0
#include "trace/trace.h"

#include <algorithm>
#include <span>

#include "trace/nesting.h"

namespace stepscope {

Trace::Trace() = default;
Trace::~Trace() = default;

std::span<const Arg> Trace::args_of(Row row) const {
  const auto by_row = [](const Arg& arg, Row r) { return arg.row < r; };
  const std::span<const Arg> args = args_.view();
  const auto first = std::lower_bound(args.begin(), args.end(), row, by_row);
  auto last = first;
  while (last != args.end() && last->row == row) ++last;
  return {first, last};
}

std::string Trace::raw_args(Row row) const {
  RawArgReader reader(*this);
  return std::string(reader.Get(row));
}

const Nesting& Trace::nesting() const {
  std::call_once(nesting_once_, [this] {
    nesting_ = std::make_unique<Nesting>(
        ComputeNesting(start_ns_.view(), dur_ns_.view(), tracks_));
  });
  return *nesting_;
}

}  // namespace stepscope
