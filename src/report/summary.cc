// SPDX-License-Identifier: Apache-2.0
#include "report/summary.h"

#include "report/render_csv.h"
#include "report/render_json.h"
#include "report/render_markdown.h"
#include "report/render_text.h"
#include "report/screen.h"

namespace stepscope {
namespace {

SummaryOptions InputsOf(const TableOptions& options) {
  if (options.is_screen()) return ScreenInputs(options);
  SummaryOptions inputs = options;
  inputs.views = options.chosen_views();
  // Nobody asked for it by name, and Paddle has no such table.
  if (!options.views && options.format != TableFormat::kJson &&
      options.format != TableFormat::kCsv)
    inputs.collectives_of_one = false;
  return inputs;
}

}  // namespace

std::string RenderSummary(const Summary& summary, const TableOptions& options) {
  switch (options.format) {
    case TableFormat::kJson:
      return RenderJson(summary, options);
    case TableFormat::kCsv:
      return RenderCsv(summary, options);
    case TableFormat::kMarkdown:
      return RenderMarkdown(summary, options);
    case TableFormat::kText:
      break;
  }
  return options.is_screen() ? RenderScreen(summary, options)
                             : RenderText(summary, options);
}

Result<std::string> RenderSummaryOfSteps(const Trace& trace,
                                         const TableOptions& options) {
  STEPSCOPE_TRY_ASSIGN(const Summary summary,
                       ComputeSummaryOfSteps(trace, InputsOf(options)));
  return RenderSummary(summary, options);
}

std::string RenderSummary(const Trace& trace, const TableOptions& options) {
  return RenderSummary(ComputeSummary(trace, InputsOf(options)), options);
}

}  // namespace stepscope
