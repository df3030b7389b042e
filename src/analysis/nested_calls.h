// SPDX-License-Identifier: Apache-2.0
//
// NestedCalls: which events are inside another of their own name and kind. A
// call inside such a call is a part of it, and no figure counts it again:
// tables do so by ByName, and what sums up single events asks here.
#pragma once

#include <cstdint>

#include "analysis/event_tree.h"
#include "analysis/kinds.h"
#include "base/column.h"

namespace stepscope {

// What goes into one row of a table: ranges of users are one kind, whichever
// language they come from.
inline uint16_t KindOfCall(uint16_t type) {
  return IsUserDefined(type) ? uint16_t{STEPSCOPE_USER_DEFINED} : type;
}

class NestedCalls {
 public:
  // Refers to nothing afterwards. A bit per event; where memory is refused,
  // no call is nested.
  explicit NestedCalls(const EventTree& tree);

  bool contains(Row row) const {
    return row / 64 < bits_.size() && (bits_[row / 64] >> (row % 64) & 1) != 0;
  }

 private:
  Column<uint64_t> bits_;
};

}  // namespace stepscope
