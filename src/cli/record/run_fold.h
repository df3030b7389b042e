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

// Puts what `live` holds into `capture`, with an End block behind it and the
// process key `ended`: "exit 3", "signal 9", "exec" or "unknown". A failure
// leaves both files as they were; a capture that has its end already stays as
// it is. Returns how many events came from the live file, side records
// included. Removes nothing. REQUIRES: no process records into them any more.
Result<uint64_t> FoldLiveFile(const std::string& capture,
                              const std::string& live, std::string_view ended);

// What the recorder said of the process when it began (`run`, `command`); "" if
// it has no such key, or none yet. Looks at the beginning of the file only.
std::string FactOfCapture(const std::string& capture, std::string_view key);

}  // namespace stepscope
