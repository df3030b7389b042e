// SPDX-License-Identifier: Apache-2.0
//
// The list of the steps, of one trace or of several.
#pragma once

#include <vector>

#include "analysis/steps.h"
#include "analysis/summary.h"

namespace stepscope {

StepRow RowOfStep(const EventTree& tree, const StepInterval& step);
// Those that start at once stay in their order.
void SortByStart(std::vector<StepRow>& rows);

}  // namespace stepscope
