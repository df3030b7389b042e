// SPDX-License-Identifier: Apache-2.0
#include "report/render_compare.h"

#include <cstdint>
#include <optional>
#include <utility>

#include "base/text.h"
#include "cli/load.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/step_options.h"
#include "cli/table_style.h"
#include "cli/usage.h"
#include "cli/verbs.h"

namespace stepscope {

ExitCode RunCompare(const CompareArguments& arguments) {
  TableOptions options;
  const auto format = ParseTableFormat(arguments.format);
  if (!format) {
    return Complain(kExitUsage,
                    "--format: unknown value \"" + arguments.format + "\"",
                    "choose from text, json, csv, md");
  }
  options.format = *format;
  options.style.top = arguments.top == 0 ? SIZE_MAX
                      : arguments.top > 0
                          ? static_cast<size_t>(arguments.top)
                          : 0;
  std::optional<StepChoice> steps;
  if (!ReadSteps(arguments.steps, steps)) return kExitUsage;
  if (const Status once = CheckStandardInputOnce({arguments.a, arguments.b});
      !once) {
    PrintError(once.error().message);
    return kExitUsage;
  }
  ExitCode code = kExitOk;
  const std::shared_ptr<const Trace> a = LoadTrace({arguments.a}, code);
  if (a == nullptr) return code;
  const std::shared_ptr<const Trace> b = LoadTrace({arguments.b}, code);
  if (b == nullptr) return code;
  Comparison comparison;
  {
    const Progress progress("comparing");
    const StepChoice choice = steps.value_or(StepChoice::Settled());
    const Result<StepSelection> of_a = SelectSteps(a, choice);
    if (!of_a) return ComplainOfSteps(WithContext(of_a.error(), arguments.a));
    const Result<StepSelection> of_b = SelectSteps(b, choice);
    if (!of_b) return ComplainOfSteps(WithContext(of_b.error(), arguments.b));
    comparison = CompareTraces(*of_a->trace, *of_b->trace);
    for (const auto& [name, side] : {std::pair{"A: ", &of_a},
                                     std::pair{"B: ", &of_b}}) {
      if ((*side)->note.empty()) continue;
      comparison.notes.push_back(name + (*side)->note + ".");
    }
  }
  const std::string text = RenderComparison(comparison, options);
  code = *format == TableFormat::kText ? WriteTables(text) : WriteOutput(text);
  if (code != kExitOk || arguments.fail_if_slower < 0) return code;
  if (!comparison.IsSlowerBy(arguments.fail_if_slower)) return kExitOk;
  // Not an error: the answer, for whoever reads the log of a gate.
  PrintError(Format("B is slower than A by %.2f %%, which is more than %g %%",
                    comparison.step.ratio() * 100,
                    arguments.fail_if_slower));
  return kExitNo;
}

}  // namespace stepscope
