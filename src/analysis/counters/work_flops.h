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

// By index of EventTree::work(); 0: not known, or none that is counted. Matrix
// kernels do all of it, by time, where the call launched any; else all its
// kernels do, else all its work. `calls`: by row.
std::vector<double> DealFlops(const EventTree& tree, NameClasses& names,
                              const std::vector<CountedCall>& calls);

}  // namespace stepscope
