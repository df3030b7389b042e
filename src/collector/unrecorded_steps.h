// SPDX-License-Identifier: Apache-2.0
//
// How long steps take that are not recorded, before and after a session: what
// recording costs. The latest of them go behind the end of a capture when it is
// completed, and are replaced there as further steps come.
#pragma once

#include <cstdint>

#include "collector/capture_file.h"

namespace stepscope::collector {

// A step took so long, and nothing was recorded in it; 0 or less: another loop
// begins, forget the steps so far. Any thread; not for the hot path: it may
// write to the capture that was completed last.
void AddUnrecordedStep(int64_t ns);

// A capture was completed; `file` is still open. Adds a Process block with the
// steps so far, and remembers the file for more.
void AppendUnrecordedSteps(const char* path, CaptureFile* file);

// Only stores: other threads are gone whatever they held.
void ResetUnrecordedStepsAfterFork();

}  // namespace stepscope::collector
