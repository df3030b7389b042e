// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <optional>

#include "analysis/compare/kind_profile.h"
#include "cli/bill_option.h"
#include "cli/frame/output.h"
#include "cli/frame/progress.h"
#include "cli/frame/usage.h"
#include "cli/frame/verbs.h"
#include "cli/load.h"
#include "cli/step_options.h"
#include "cli/table_style.h"
#include "report/render_compare.h"

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
  options.style.top = arguments.top == 0  ? SIZE_MAX
                      : arguments.top > 0 ? static_cast<size_t>(arguments.top)
                                          : 0;
  options.style.width = WidthOfTables();
  std::optional<StepChoice> steps;
  if (!ReadSteps(arguments.steps, steps)) return kExitUsage;
  CompareOptions compare;
  compare.steps = steps.value_or(StepChoice::Settled());
  if (!arguments.kind.empty() && !IsCompareKind(arguments.kind)) {
    return Complain(kExitUsage,
                    "--kind: unknown value \"" + arguments.kind + "\"",
                    "choose from " + CompareKindChoices());
  }
  compare.kind = arguments.kind;
  if (!arguments.bill.empty() && !IsRequestKind(compare.kind)) {
    return Complain(kExitUsage, "--bill: works with --kind request only",
                    "leave it out: only requests share device time");
  }
  compare.bill = BillOf(arguments.bill);
  if (arguments.fail_if_slower >= 0) {
    compare.fail_if_slower = arguments.fail_if_slower;
  }
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
  const Result<Comparison> comparison = [&] {
    const Progress progress("comparing");
    return CompareTraces(*a, *b, compare);
  }();
  if (!comparison) return ComplainOfSteps(comparison.error());
  const std::string text = RenderComparison(*comparison, options);
  code = *format == TableFormat::kText ? WriteTables(text) : WriteOutput(text);
  if (code != kExitOk || !comparison->gate) return code;
  const GateAnswer& gate = *comparison->gate;
  if (gate.kind == GateAnswer::Kind::kNotSlower) return kExitOk;
  // Not an error: the answer, for whoever reads the log of a gate.
  PrintError(gate.text);
  return gate.kind == GateAnswer::Kind::kSlower ? kExitNo : kExitOk;
}

}  // namespace stepscope
