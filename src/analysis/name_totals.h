// SPDX-License-Identifier: Apache-2.0
//
// NameTotals: calls and time of events by name, the plainest of summaries. A
// name is a small number, so that its sums are an array and not a map.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/interval.h"
#include "trace/trace.h"

namespace stepscope {

struct NameTotal {
  uint32_t calls = 0;
  Row first = kNoRow;    // met first
  Row longest = kNoRow;  // the first of these
  int64_t total_ns = 0;
  int64_t max_ns = -1;
  int64_t min_ns = INT64_MAX;
};

// Not thread-safe; refers to the trace.
class NameTotals {
 public:
  explicit NameTotals(const Trace& trace)
      : names_(trace.name().data()),
        dur_(trace.dur_ns().data()),
        totals_(trace.strings().size()) {}

  void Add(Row row) {
    NameTotal& total = totals_[names_[row].v];
    const int64_t dur = dur_[row];
    if (total.calls++ == 0) total.first = row;
    total.total_ns = SaturatingAdd(total.total_ns, dur);
    if (dur > total.max_ns) {
      total.max_ns = dur;
      total.longest = row;
    }
    if (dur < total.min_ns) total.min_ns = dur;
  }
  // Rows [first, last).
  void Add(Row first, Row last) {
    for (Row row = first; row < last; ++row) Add(row);
  }

  // By id; names that no event has have no calls.
  std::span<const NameTotal> totals() const { return totals_; }

 private:
  const StringId* names_;
  const int64_t* dur_;
  std::vector<NameTotal> totals_;
};

}  // namespace stepscope
