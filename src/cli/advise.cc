// SPDX-License-Identifier: Apache-2.0
#include "analysis/summary.h"
#include "base/text.h"
#include "cli/frame/output.h"
#include "cli/frame/progress.h"
#include "cli/frame/verbs.h"
#include "cli/load.h"
#include "cli/step_options.h"
#include "report/render_advice.h"

namespace stepscope {
namespace {

// Leaves the first `top` (0: all), worst first; returns how many are gone.
size_t KeepTop(std::vector<Finding>& findings, int top) {
  const auto wanted = static_cast<size_t>(top);
  if (wanted == 0 || findings.size() <= wanted) return 0;
  const size_t more = findings.size() - wanted;
  findings.resize(wanted);
  return more;
}

using AdviceRenderer = std::string (*)(const Summary&);

// Null: there is no such format.
AdviceRenderer RendererOf(std::string_view format) {
  if (format == "text") return RenderAdviceText;
  if (format == "md") return RenderAdviceMarkdown;
  if (format == "json") return RenderAdviceJson;
  return nullptr;
}

}  // namespace

ExitCode RunAdvise(const AdviseArguments& given) {
  AdviseArguments arguments = given;
  const AdviceRenderer render = RendererOf(arguments.format);
  if (render == nullptr) {
    return Complain(kExitUsage,
                    "--format: unknown value \"" + arguments.format + "\"",
                    "choose from text, json, md");
  }
  SummaryOptions options;
  options.views = kAdviceView;
  if (!ReadSteps(arguments.steps, options.steps) ||
      !ReadUnprofiled(arguments.unprofiled, options.unprofiled_ns)) {
    return kExitUsage;
  }
  ExitCode code = kExitOk;
  if (!NameInput(arguments.input, code)) return code;
  const std::shared_ptr<const Trace> trace =
      LoadTrace({arguments.input}, code, {}, AlignmentOf(arguments.no_align));
  if (trace == nullptr) return code;
  std::string text;
  {
    const Progress progress("looking into " + arguments.input);
    Result<Summary> computed = ComputeSummaryOfSteps(*trace, options);
    if (!computed) return ComplainOfSteps(computed.error());
    Summary& summary = *computed;
    const size_t more = KeepTop(summary.advice.findings, arguments.top);
    text = render(summary);
    if (more > 0 && arguments.format != "json")
      text += "\n" + CountText(more, "more finding") + "; --top 0 shows all.\n";
  }
  return WriteOutput(text);
}

}  // namespace stepscope
