// SPDX-License-Identifier: Apache-2.0
//
// The order of arguments in a Trace: by row, those of one row as added.
#pragma once

#include <cstddef>
#include <span>

#include "base/column.h"
#include "trace/trace.h"

namespace stepscope {

// Brings arguments in any order of `rows` events into that of their rows, which
// become `new_row` if it is not empty. False, and nothing changed: they are
// few, there is no memory, or one is of no event.
bool PlaceArgs(Column<Arg>& args, Row rows, std::span<const Row> new_row);

// `rows`: how many there are; takes time in proportion to them and to the
// arguments, where there are many of these. The first `known` are in
// order.
void SortArgs(Column<Arg>& args, Row rows, size_t known = 0);

}  // namespace stepscope
