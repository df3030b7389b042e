// SPDX-License-Identifier: Apache-2.0
//
// A summary as text (the layout of paddle.profiler), JSON, CSV or Markdown.
#pragma once

#include <string>

#include "analysis/summary.h"
#include "report/table_options.h"

namespace stepscope {

// In the format that `options` ask for; ends in a newline.
std::string RenderSummary(const Summary& summary, const TableOptions& options);
std::string RenderSummary(const Trace& trace, const TableOptions& options);
// The same; fails where `options.steps` are none of the recorded ones.
Result<std::string> RenderSummaryOfSteps(const Trace& trace,
                                         const TableOptions& options);

}  // namespace stepscope
