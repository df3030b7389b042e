// SPDX-License-Identifier: Apache-2.0
//
// OrderRows: brings the rows of a trace under construction into their final
// order. What is already in order is read once, or not at all.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/column.h"
#include "base/result.h"
#include "trace/trace.h"

namespace stepscope {

// What became of rows and tracks. Empty: nothing moved.
struct RowMoves {
  Column<Row> row;              // old row -> new row
  std::vector<uint32_t> track;  // old track -> new track
};

// Rows that passed an OrderCheck.
struct OrderedRows {
  uint32_t track = 0;
  Row first = 0;
  Row last = 0;  // one past the end
};

// Groups rows by track, orders each track by (start, -duration, row), gives
// every lane beyond the first a Track behind the first, and fills in
// Track::first, last and lane. Fails where an event has no track, a negative
// duration, or a time beyond +-2^62 ns. A track whose rows are `ordered` is
// not looked at again.
Result<RowMoves> OrderRows(EventTable& events, std::vector<Track>& tracks,
                           std::span<const OrderedRows> ordered);

}  // namespace stepscope
