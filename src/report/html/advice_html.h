// SPDX-License-Identifier: Apache-2.0
//
// The findings of a report, worst first, each with what it saves.
#pragma once

#include <string>

#include "analysis/summary.h"
#include "report/html/redactor.h"

namespace stepscope::html {

// "savings of a step; together 40.1 ms": what a reader must know of them all.
std::string AdviceAbout(const Summary& summary);
std::string AdviceHtml(const Summary& summary, const Redactor& redactor);

}  // namespace stepscope::html
