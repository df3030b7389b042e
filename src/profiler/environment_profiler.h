// SPDX-License-Identifier: Apache-2.0
//
// The profiler that the environment starts in a program which has none of its
// own: made when the library is loaded, stepped by stepscope_step(), finished
// when the process ends. Thread-safe.
#pragma once

#include <optional>
#include <string>

#include "profiler/schedule.h"

namespace stepscope::profiler {

// STEPSCOPE_STEPS, which overrules the scheduler of every profiler.
std::optional<StepBounds> EnvironmentSteps();

// A profiler of the program starts. STEPSCOPE_STEPS then speaks of its steps;
// the environment's own profiler gives way. A periodic one goes on.
void YieldEnvironment();

// Under `stepscope run`, which records nothing then, one line on standard error
// says where to look. The first time only.
void TellWhereItWrites(const std::string& path);

}  // namespace stepscope::profiler
