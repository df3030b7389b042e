// SPDX-License-Identifier: Apache-2.0
#include "report/summary.h"

#include <functional>
#include <optional>
#include <sstream>

#include "cli/load.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/rank_scan.h"
#include "cli/step_options.h"
#include "cli/table_style.h"
#include "cli/verbs.h"
#include "report/fluid_report.h"

namespace stepscope {
namespace {

// Fills one option; says what is possible if `text` is not.
template <typename T>
bool Choose(std::string_view option, const std::string& text,
            std::optional<T> value, std::string_view choices, T& out) {
  if (value) {
    out = *value;
    return true;
  }
  Complain(kExitUsage,
           std::string(option) + ": unknown value \"" + text + "\"",
           "choose from " + std::string(choices));
  return false;
}

bool Parse(const SummaryArguments& arguments, TableOptions& options) {
  options.op_detail = !arguments.no_op_detail;
  options.thread_sep = arguments.thread_sep;
  options.flops = arguments.flops;
  if (!ReadSteps(arguments.steps, options.steps) ||
      !ReadUnprofiled(arguments.unprofiled, options.unprofiled_ns)) {
    return false;
  }
  options.views = 0;
  std::stringstream views(arguments.views);
  for (std::string text; std::getline(views, text, ',');) {
    uint32_t view = 0;
    if (!Choose("--views", text, ParseView(text), ViewChoices(), view)) {
      return false;
    }
    options.views |= view;
  }
  const std::string sort =
      arguments.sort.empty() ? "CPUTotal" : arguments.sort;
  const std::string unit =
      arguments.unit.empty() ? UsualUnit() : arguments.unit;
  options.style = StyleOfTables(arguments.top, arguments.format == "text");
  return Choose("--sort", sort, ParseSortKey(sort), SortKeyChoices(),
                options.sort) &&
         Choose("--unit", unit, ParseTimeUnit(unit), TimeUnitChoices(),
                options.unit) &&
         Choose("--format", arguments.format,
                ParseTableFormat(arguments.format),
                TableFormatChoices() + ", fluid",
                options.format);
}

// What turns a trace into text; none if an option makes no sense.
using Render = std::function<Result<std::string>(const Trace&)>;

Render TableRenderer(const SummaryArguments& arguments) {
  TableOptions options;
  if (!Parse(arguments, options)) return nullptr;
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

ExitCode Write(const SummaryArguments& arguments, const std::string& text) {
  return arguments.format == "text" ? WriteTables(text) : WriteOutput(text);
}

// Of tables that compare ranks alone, any number of files will do.
std::optional<ExitCode> SummariseRanks(const SummaryArguments& arguments) {
  TableOptions options;
  if (arguments.format == "fluid" || arguments.views.empty()) return {};
  if (!Parse(arguments, options)) return kExitUsage;
  if (options.steps || !CanScanRanks(arguments.input, options.views)) return {};
  ExitCode code = kExitOk;
  const std::unique_ptr<ScannedRanks> ranks = ScanRanks(
      arguments.input, AlignmentOf(arguments.no_align), code);
  if (ranks == nullptr) return code;
  return Write(arguments, RenderSummary(ranks->summary, options));
}

}  // namespace

ExitCode RunSummary(const SummaryArguments& arguments) {
  if (const std::optional<ExitCode> code = SummariseRanks(arguments))
    return *code;
  const Render render = arguments.format == "fluid"
                            ? FluidRenderer(arguments)
                            : TableRenderer(arguments);
  if (!render) return kExitUsage;
  ExitCode code = kExitOk;
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
  return Write(arguments, text);
}

}  // namespace stepscope
