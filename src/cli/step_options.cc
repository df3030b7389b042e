// SPDX-License-Identifier: Apache-2.0
#include "cli/step_options.h"

#include "cli/frame/output.h"
#include "cli/table_arguments.h"

namespace stepscope {

bool ReadSteps(const std::string& text, std::optional<StepChoice>& choice) {
  return Told(StepsOf(text, choice), choice);
}

bool ReadUnprofiled(const std::string& text, std::optional<int64_t>& ns) {
  return Told(UnprofiledOf("--", text), ns);
}

ExitCode ComplainOfSteps(const Error& error) {
  PrintError(error.message);
  return error.code == ErrorCode::kInvalidArgument ? kExitUsage : kExitIo;
}

}  // namespace stepscope
