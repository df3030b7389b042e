// SPDX-License-Identifier: Apache-2.0
//
// Concluded stages as events, for formats whose readers know no stage that is
// not an event: VisualDL shows a step by its Forward and Backward.
#pragma once

#include <memory>

#include "base/result.h"
#include "trace/trace.h"

namespace stepscope {

// A copy of the trace with an event for each stage that was concluded, marked
// as inferred, on the thread that steps; null where none was. A kind of stage
// that would cross a recorded event of a thread is left out there: that event
// would have to give way.
Result<std::shared_ptr<const Trace>> AddStageEvents(const Trace& trace);

}  // namespace stepscope
