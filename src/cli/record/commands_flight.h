// SPDX-License-Identifier: Apache-2.0
//
// What the flight recorder adds to the commands.
#pragma once

#include "cli/frame/command.h"
#include "cli/record/run.h"
#include "cli/record/trigger.h"

namespace stepscope {

// Those of `run`, in front of its other options.
void AddFlightOptions(RunOptions& options, Command& run);

Command TriggerCommand(TriggerArguments& arguments, const char* group);

}  // namespace stepscope
