// SPDX-License-Identifier: Apache-2.0
//
// The command that records a program, without what the flight recorder adds.
#pragma once

#include "cli/frame/command.h"
#include "cli/record/run.h"

namespace stepscope {

Command RunCommand(RunOptions& options, const char* group);

}  // namespace stepscope
