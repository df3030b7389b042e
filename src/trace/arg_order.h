// SPDX-License-Identifier: Apache-2.0
//
// The order of arguments in a Trace: by row, those of one row as added.
#pragma once

#include "base/column.h"
#include "trace/trace.h"

namespace stepscope {

// `rows`: how many there are; takes time in proportion to them and to the
// arguments, where there are many of these.
void SortArgs(Column<Arg>& args, Row rows);

}  // namespace stepscope
