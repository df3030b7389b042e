// SPDX-License-Identifier: Apache-2.0
//
// The drawings of a report: SVG without scripts, coloured by the classes of
// page_style.h. Each stands beside its figures as text.
#pragma once

#include <string>

#include "analysis/summary.h"
#include "report/html/redactor.h"

namespace stepscope::html {

// Where a step goes: parts that add up to it.
std::string WaterfallHtml(const Summary& summary);
// A stacked bar per step; empty without steps.
std::string StepBarsHtml(const Summary& summary);
// CPU and GPU time by stage; empty without stages.
std::string StagesHtml(const Summary& summary);
// What was allocated over time, in the place with the highest peak; empty
// without memory events.
std::string MemoryCurveHtml(const Summary& summary, const Redactor& redactor);

}  // namespace stepscope::html
