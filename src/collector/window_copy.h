// SPDX-License-Identifier: Apache-2.0
//
// Copies the part of a capture that belongs to a window into another capture.
#pragma once

#include <cstdint>

#include "collector/core.h"
#include "collector/window_filter.h"

namespace stepscope::collector {

// Copies the blocks of the session's file; and with `held` also what threads
// still hold in the ring, as it stands now, and who they are. Names, which all
// captures share, are written anew. False with the last error set.
bool CopyWindow(Session* session, const TickWindow& window, bool held,
                CaptureFile* out);

}  // namespace stepscope::collector
