// SPDX-License-Identifier: Apache-2.0
//
// Floating-point operations of single pieces of device work: those of an
// operator's call, dealt to what the call launched.
#pragma once

#include <vector>

#include "analysis/event_tree.h"
#include "analysis/name_class.h"
#include "analysis/tables/flops.h"

namespace stepscope {

// Of a piece of device work.
struct WorkFlops {
  double flops = 0;   // 0: not known, or none that is counted
  Row call = kNoRow;  // the CountedCall that it was launched in; kNoRow: none
};

// By index of EventTree::work(). Matrix kernels do all of a call's, by time,
// where it launched any; else all its kernels do, else all its work. `calls`:
// by row.
std::vector<WorkFlops> DealFlops(const EventTree& tree, NameClasses& names,
                                 const std::vector<CountedCall>& calls);

}  // namespace stepscope
