// SPDX-License-Identifier: Apache-2.0
//
// What the process beside `run` does.
#pragma once

#include "cli/record/companion.h"

namespace stepscope {

// Reads the captures every few seconds, and a last time when `ends` is closed;
// writes lines for a person to `says`. Returns after that.
void WorkBesideRun(const CompanionPlan& plan, int ends, int says);

}  // namespace stepscope
