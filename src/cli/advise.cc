// SPDX-License-Identifier: Apache-2.0
#include "analysis/summary.h"
#include "cli/load.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/verbs.h"
#include "report/render_advice.h"

namespace stepscope {

ExitCode RunAdvise(const AdviseArguments& arguments) {
  const bool json = arguments.format == "json";
  if (!json && arguments.format != "text") {
    return Complain(kExitUsage,
                    "--format: there is no \"" + arguments.format + "\"",
                    "choose from text, json");
  }
  ExitCode code = kExitOk;
  const std::shared_ptr<const Trace> trace =
      LoadTrace({arguments.input}, code);
  if (trace == nullptr) return code;
  SummaryOptions options;
  options.views = kAdviceView;
  std::string text;
  {
    const Progress progress("looking into " + arguments.input);
    const Summary summary = ComputeSummary(*trace, options);
    text = json ? RenderAdviceJson(summary) : RenderAdviceText(summary);
  }
  return WriteOutput(text);
}

}  // namespace stepscope
