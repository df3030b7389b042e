// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "analysis/serving/iterations.h"

namespace stepscope {

// Of the kinds that occur, in their order. Iterations that repeat another
// rank's add device time only.
std::vector<IterationKindRow> SumByKind(std::span<const IterationRow> list);

}  // namespace stepscope
