// SPDX-License-Identifier: Apache-2.0
//
// What recording cost, for `stepscope info`.
#pragma once

#include <optional>
#include <string>

#include "analysis/tables/step_time.h"

namespace stepscope {

// Nothing where the trace does not say how long unrecorded steps take.
std::optional<StepTime> FindRecordingCost(const Trace& trace);

// By how much, else what of the recorder's settings cost time; may be empty.
std::string RecordingCostText(const Trace& trace);

}  // namespace stepscope
