// SPDX-License-Identifier: Apache-2.0
//
// The waterfall of a view table's steps, as the summary has it.
#pragma once

#include "analysis/communication.h"
#include "analysis/step_sweep.h"
#include "analysis/tables/waterfall.h"
#include "analysis/views/view_table.h"

namespace stepscope {

inline Waterfall ComputeWaterfall(const ViewInput& input) {
  NameClasses names(input.tree.trace().strings());
  const Communication communication(input.tree, names);
  const StepSweep sweep(input.tree, input.steps, names, communication);
  WaterfallTable waterfall;
  sweep.Run([&](const StepWindow& window) { waterfall.Add(window); });
  return waterfall.Finish(input.tree, input.steps);
}

}  // namespace stepscope
