// SPDX-License-Identifier: Apache-2.0
//
// The order of arguments in a Trace: by row, those of one row as added.
#pragma once

#include <cstddef>
#include <span>

#include "base/column.h"
#include "trace/trace.h"

namespace stepscope {

// Whether they are in order, of which the first `known` are.
bool AreByRow(std::span<const Arg> args, size_t known);

// `rows`: how many there are; takes time in proportion to them and to the
// arguments, where there are many of these. `known`: as above.
void SortArgs(Column<Arg>& args, Row rows, size_t known = 0);

}  // namespace stepscope
