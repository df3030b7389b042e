// SPDX-License-Identifier: Apache-2.0
//
// The live files that killed processes left behind.
#pragma once

#include <string>
#include <vector>

#include "cli/frame/exit_code.h"
#include "trace/trace.h"

namespace stepscope {

// Removes the live files that the captures among `inputs` (files or folders)
// were joined with when this trace was read from them, and says which. Those
// of processes that still run are left alone. REQUIRES: what they held has
// been written elsewhere.
ExitCode RemoveLiveFiles(const Trace& trace,
                         const std::vector<std::string>& inputs);

}  // namespace stepscope
