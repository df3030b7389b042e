// SPDX-License-Identifier: Apache-2.0
//
// The collector as a flight recorder: the one window of such a profiler lasts
// from start to stop, and holds the last steps. With
// STEPSCOPE_FLIGHT_ON_DEMAND it has no window of its own: it only waits for
// `stepscope trigger`, and what is recorded then lies in the job's folder.
#pragma once

#include <stepscope/c.h>

#include <string>

#include "profiler/recorder.h"

namespace stepscope::profiler {

// Of this process; never destroyed. `given` may be null; its texts need not
// last. `folder` is that of the job if `given` names none.
Recorder& FlightRecorder(const stepscope_flight_options* given,
                         const std::string& folder);

}  // namespace stepscope::profiler
