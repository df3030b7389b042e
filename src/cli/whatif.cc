// SPDX-License-Identifier: Apache-2.0
#include "analysis/replay/whatif.h"

#include "cli/frame/output.h"
#include "cli/frame/progress.h"
#include "cli/frame/usage.h"
#include "cli/frame/verbs.h"
#include "cli/load.h"
#include "cli/step_options.h"
#include "report/render_whatif.h"

namespace stepscope {
namespace {

bool ReadChanges(const std::vector<std::string>& texts,
                 std::vector<Change>& changes) {
  for (const std::string& text : texts) {
    Result<Change> change = ParseChange(text);
    if (!change) {
      PrintError("--change " + change.error().message);
      return false;
    }
    changes.push_back(std::move(*change));
  }
  return true;
}

}  // namespace

ExitCode RunWhatif(const WhatifArguments& arguments) {
  WhatifOptions options;
  std::optional<StepChoice> steps;
  if (!ReadChanges(arguments.changes, options.changes) ||
      !ReadSteps(arguments.steps, steps) ||
      !ReadUnprofiled(arguments.unprofiled, options.unprofiled_ns)) {
    return kExitUsage;
  }
  if (steps) options.steps = *steps;
  ExitCode code = kExitOk;
  const std::shared_ptr<const Trace> trace = LoadTrace({arguments.input}, code);
  if (trace == nullptr) return code;
  std::string text;
  {
    const Progress progress("replaying " + arguments.input);
    const Result<Whatif> whatif = ComputeWhatif(*trace, options);
    if (!whatif) return ComplainOfSteps(whatif.error());
    text = arguments.format == "json" ? RenderWhatifJson(*whatif)
           : arguments.format == "md" ? RenderWhatifMarkdown(*whatif)
                                      : RenderWhatifText(*whatif);
  }
  return WriteOutput(text);
}

}  // namespace stepscope
