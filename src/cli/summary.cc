// SPDX-License-Identifier: Apache-2.0
#include "report/summary.h"

#include <functional>
#include <optional>

#include "cli/folder_scan.h"
#include "cli/frame/output.h"
#include "cli/frame/output_file.h"
#include "cli/frame/progress.h"
#include "cli/frame/verbs.h"
#include "cli/load.h"
#include "cli/step_options.h"
#include "cli/table_arguments.h"
#include "cli/table_style.h"
#include "exporters/output_file.h"
#include "report/fluid_report.h"

namespace stepscope {
namespace {

// What turns a trace into text; none if an option makes no sense.
using Render = std::function<Result<std::string>(const Trace&)>;

Render TableRenderer(const SummaryArguments& arguments) {
  TableOptions options;
  if (!ReadSummaryOptions(arguments, options)) return nullptr;
  return [options](const Trace& trace) {
    return RenderSummaryOfSteps(trace, options);
  };
}

Render FluidRenderer(const SummaryArguments& arguments) {
  FluidOptions options;
  if (!arguments.sort.empty() &&
      !Choose("--sort", arguments.sort, ParseFluidSort(arguments.sort),
              "calls, total, max, min, ave", options.sort)) {
    return nullptr;
  }
  if (!arguments.place.empty() &&
      !Choose("--place", arguments.place, ParseFluidState(arguments.place),
              "CPU, GPU, All", options.state)) {
    return nullptr;
  }
  std::optional<StepChoice> steps;
  if (!ReadSteps(arguments.steps, steps)) return nullptr;
  return [=](const Trace& trace) -> Result<std::string> {
    if (!steps) return RenderFluidReport(trace, options);
    const EventTree tree(trace);
    STEPSCOPE_TRY_ASSIGN(const StepSelection selection,
                         SelectSteps(tree, StepTable(tree), *steps));
    return RenderFluidReport(
        selection.trace == nullptr ? trace : *selection.trace, options);
  };
}

ExitCode WriteSummary(const SummaryArguments& arguments,
                      const std::string& text) {
  if (arguments.output == "-")
    return arguments.format == "text" ? WriteTables(text) : WriteOutput(text);
  const Status status = WriteOutputFile(arguments.output, text);
  return status ? kExitOk : ComplainOfOutput(status.error());
}

// Tables that are made file by file: of these, any number of files will do.
std::optional<ExitCode> SummariseFolder(const SummaryArguments& arguments) {
  TableOptions options;
  if (arguments.format == "fluid") return {};
  if (!ReadSummaryOptions(arguments, options)) return kExitUsage;
  if (options.is_screen()) return {};
  options.views = options.chosen_views();
  if (!CanScanFolder(arguments.input, options)) return {};
  ExitCode code = kExitOk;
  const std::unique_ptr<ReducedJob> job = ScanFolderOfJob(
      arguments.input, options, AlignmentOf(arguments.no_align), code);
  if (job == nullptr) return code;
  // Without steps some tables need all files at once.
  if (job->given != options.views) return {};
  return WriteSummary(arguments, RenderSummary(job->summary, options));
}

}  // namespace

ExitCode RunSummary(const SummaryArguments& given) {
  SummaryArguments arguments = given;
  ExitCode code = kExitOk;
  if (arguments.format.empty())
    arguments.format = FormatOfTables(arguments.output);
  if (arguments.output != "-") {
    code = CheckOutput(arguments.output);
    if (code != kExitOk) return code;
  }
  if (!NameInput(arguments.input, code)) return code;
  if (const std::optional<ExitCode> done = SummariseFolder(arguments))
    return *done;
  const Render render = arguments.format == "fluid" ? FluidRenderer(arguments)
                                                    : TableRenderer(arguments);
  if (!render) return kExitUsage;
  const std::shared_ptr<const Trace> trace =
      LoadTrace({arguments.input}, code, {}, AlignmentOf(arguments.no_align));
  if (trace == nullptr) return code;
  std::string text;
  {
    const Progress progress("adding up " + arguments.input);
    Result<std::string> rendered = render(*trace);
    if (!rendered) return ComplainOfSteps(rendered.error());
    text = *std::move(rendered);
  }
  return WriteSummary(arguments, text);
}

}  // namespace stepscope
