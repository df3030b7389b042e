// SPDX-License-Identifier: Apache-2.0
//
// The live files that killed processes left behind.
#pragma once

#include "cli/exit_code.h"
#include "trace/trace.h"

namespace stepscope {

// Removes the live files that captures of this trace were joined with, and
// says which. Those of processes that still run are left alone. REQUIRES: what
// they held has been written elsewhere.
ExitCode RemoveLiveFiles(const Trace& trace);

}  // namespace stepscope
