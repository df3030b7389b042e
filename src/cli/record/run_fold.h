// SPDX-License-Identifier: Apache-2.0
//
// Completes the capture of a process that is gone without having stopped its
// recorder: what it recorded last is in its live file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace stepscope {

struct FoldedCapture {
  std::string command;  // of the process, as the capture has it; may be ""
  uint64_t events = 0;  // that came from the live file, side records included
};

// Puts what `live` holds into `capture`, with an End block behind it and the
// process key `ended`: "exit 3", "signal 9", "exec" or "unknown". A failure
// leaves both files as they were; a capture that has its end already stays as
// it is. Removes nothing. REQUIRES: no process records into them any more.
Result<FoldedCapture> FoldLiveFile(const std::string& capture,
                                   const std::string& live,
                                   std::string_view ended);

// The run that a capture is of: its process key `run`, "" if it has none or
// none yet. Looks at its beginning only.
std::string RunOfCapture(const std::string& capture);

}  // namespace stepscope
