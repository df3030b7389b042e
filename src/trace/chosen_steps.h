// SPDX-License-Identifier: Apache-2.0
//
// Whether the steps of a trace are ranges that the user named when it was read
// (--step-range), and not what the program or a framework called steps.
#pragma once

#include <algorithm>
#include <string_view>

#include "trace/trace.h"

namespace stepscope {

// Key of a process; its value is what was asked for.
inline constexpr std::string_view kChosenStepsKey = "step_range";

inline bool StepsWereChosen(const Trace& trace) {
  return std::ranges::any_of(trace.processes(), [&](const Process& process) {
    return std::ranges::any_of(process.metadata, [&](const auto& entry) {
      return trace.str(entry.first) == kChosenStepsKey;
    });
  });
}

// How the note of a file begins in which no range has the name that was asked
// for.
inline constexpr std::string_view kNoSuchRange = "no range is called ";

}  // namespace stepscope
