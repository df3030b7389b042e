// SPDX-License-Identifier: Apache-2.0
//
// Where the profiler's files go and what they are called. Thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace stepscope::profiler {

// host_<hostname>pid_<pid>, as Paddle writes it.
std::string DefaultWorkerName();

// <folder>/<worker>_time_<YYYY_MM_DD_hh_mm_ss_uuuuuu><suffix>, local time.
// `worker` empty: DefaultWorkerName(). As Paddle names its files.
std::string TimedPath(std::string_view folder, std::string_view worker,
                      std::string_view suffix);

// STEPSCOPE_OUT, else `wish`, else ./profiler_log.
std::string CaptureFolder(const std::string& wish);

// With the folders above it; one that exists is fine.
Status MakeFolder(const std::string& path);

}  // namespace stepscope::profiler
