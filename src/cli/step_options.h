// SPDX-License-Identifier: Apache-2.0
//
// The values of --steps and --unprofiled, which several verbs have.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "analysis/step_choice.h"
#include "cli/frame/exit_code.h"

namespace stepscope {

// False: the text is no choice of steps, and the user was told. Empty text:
// nothing was chosen.
bool ReadSteps(const std::string& text, std::optional<StepChoice>& choice);
// The same for --unprofiled, in nanoseconds.
bool ReadUnprofiled(const std::string& text, std::optional<int64_t>& ns);

// For who was told by an analysis that no step is chosen: says so.
ExitCode ComplainOfSteps(const Error& error);

}  // namespace stepscope
