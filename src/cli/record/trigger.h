// SPDX-License-Identifier: Apache-2.0
//
// trigger: makes all processes of a running job record the same steps.
#pragma once

#include <string>

#include "cli/frame/exit_code.h"

namespace stepscope {

struct TriggerArguments {
  std::string job;  // folder
  int steps = 5;
  double seconds = 5;   // where the job shows no steps
  double margin_s = 2;  // between now and the first step
  double timeout_s = 600;
};

ExitCode RunTrigger(const TriggerArguments& arguments);

}  // namespace stepscope
