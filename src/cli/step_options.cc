// SPDX-License-Identifier: Apache-2.0
#include "cli/step_options.h"

#include "base/duration.h"
#include "cli/frame/output.h"

namespace stepscope {

bool ReadSteps(const std::string& text, std::optional<StepChoice>& choice) {
  if (text.empty()) return true;
  const Result<StepChoice> parsed = ParseStepChoice(text);
  if (!parsed) {
    PrintError(parsed.error().message);
    return false;
  }
  choice = *parsed;
  return true;
}

bool ReadUnprofiled(const std::string& text, std::optional<int64_t>& ns) {
  if (text.empty()) return true;
  const Result<int64_t> parsed = ParseDuration(text);
  if (!parsed) {
    PrintError("--unprofiled: " + parsed.error().message);
    return false;
  }
  ns = *parsed;
  return true;
}

ExitCode ComplainOfSteps(const Error& error) {
  PrintError(error.message);
  return error.code == ErrorCode::kInvalidArgument ? kExitUsage : kExitIo;
}

}  // namespace stepscope
