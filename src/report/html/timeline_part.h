// SPDX-License-Identifier: Apache-2.0
//
// The timeline of a report: which part of the trace, and its drawing.
#pragma once

#include <string>

#include "analysis/summary.h"
#include "base/result.h"
#include "report/html/html_report.h"
#include "report/html/redactor.h"

namespace stepscope::html {

struct TimelinePart {
  std::string about;  // "step 7, 51.6 ms"
  std::string html;
};

// `summary` is of `trace`, and of the steps that `options` choose.
Result<TimelinePart> DrawTimelinePart(const Trace& trace,
                                      const Summary& summary,
                                      const HtmlReportOptions& options,
                                      const Redactor& redactor);

}  // namespace stepscope::html
