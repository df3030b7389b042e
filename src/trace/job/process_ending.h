// SPDX-License-Identifier: Apache-2.0
//
// How a process ended that did not stop its recorder, as `stepscope run` found
// out and noted under the process key `ended`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "trace/trace.h"

namespace stepscope {

// Key of a process that still recorded when its capture was read.
inline constexpr std::string_view kRecordingKey = "recording";
bool IsStillRecorded(const Trace& trace);

struct ProcessEnding {
  bool cut_short = false;  // it died in the middle of its work
  std::string text;        // "was killed by SIGKILL; ..."
};

// `ended` is "exit 3", "signal 9" or "exec"; anything else is not known.
ProcessEnding DescribeEnding(std::string_view ended);

// "process 71 (python3 train.py)": what begins a note about one process of
// several. A long command is clipped.
std::string NameProcess(int64_t pid, std::string_view command);

}  // namespace stepscope
