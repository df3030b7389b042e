// SPDX-License-Identifier: Apache-2.0
#include "report/summary.h"

#include "report/render_csv.h"
#include "report/render_json.h"
#include "report/render_markdown.h"
#include "report/render_text.h"

namespace stepscope {

std::string RenderSummary(const Summary& summary,
                          const TableOptions& options) {
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
  return RenderText(summary, options);
}

Result<std::string> RenderSummaryOfSteps(const Trace& trace,
                                         const TableOptions& options) {
  SummaryOptions compute = options;
  compute.views = options.chosen_views();
  STEPSCOPE_TRY_ASSIGN(const Summary summary,
                       ComputeSummaryOfSteps(trace, compute));
  return RenderSummary(summary, options);
}

std::string RenderSummary(const Trace& trace, const TableOptions& options) {
  SummaryOptions compute = options;
  compute.views = options.chosen_views();
  return RenderSummary(ComputeSummary(trace, compute), options);
}

}  // namespace stepscope
