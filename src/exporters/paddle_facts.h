// SPDX-License-Identifier: Apache-2.0
//
// What Paddle's files say beside events, in JSON and in node trees alike.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "exporters/exporter.h"
#include "trace/trace.h"

namespace stepscope {

inline constexpr std::string_view kProcessUtilization =
    "Process Cpu Utilization";
inline constexpr std::string_view kSystemUtilization = "System Cpu Utilization";
// What memory events state of the process's life, which may lie before the
// window.
inline constexpr std::string_view kPeakMemory = "Peak Memory";
// Which of them were not. Our importers know it.
inline constexpr std::string_view kNotMeasured = "Not Measured";

// Both utilisations, which Paddle's readers insist on, and kNotMeasured where
// one of them is made up, or peaks are those of the window.
std::vector<std::pair<std::string_view, std::string>> PaddleCpuUsage(
    const Trace& trace);

// Which window of its process the trace is: as asked for, else as the file
// said that it was read from.
int SpanIndexOf(const Trace& trace, const ExportOptions& options);

// Its recorder stated peaks of the process's life.
bool HasStatedPeaks(const Trace& trace);

}  // namespace stepscope
