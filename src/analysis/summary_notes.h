// SPDX-License-Identifier: Apache-2.0
//
// What a reader of the tables must know: what is missing from the trace, what
// was lost, and why a number looks odd. One sentence each.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/summary.h"

namespace stepscope {

// How the note begins that names the tables without a row.
inline constexpr std::string_view kNothingRecorded =
    "Nothing was recorded for: ";
// How the note begins that says what ratios are of where there are no steps.
inline constexpr std::string_view kNoStepsRecorded =
    "No ProfileStep was recorded: ";

// What the figures of steps are of: which were left out, what paces the loop,
// what recording cost.
std::vector<std::string> StepNotes(const Summary& summary,
                                   const SummaryOptions& options);

std::vector<std::string> SummaryNotes(const Summary& summary,
                                      const SummaryOptions& options);

}  // namespace stepscope
