// SPDX-License-Identifier: Apache-2.0
//
// SortLinks: brings the links of a trace into their final order.
#pragma once

#include "base/column.h"
#include "trace/trace.h"

namespace stepscope {

// By (process, space, id, row). Ids of one space are handed out in order of
// time, so that links as a rule are in order once they are apart by process
// and space; then they are moved and not sorted.
void SortLinks(Column<Link>& links);

}  // namespace stepscope
