// SPDX-License-Identifier: Apache-2.0
//
// A comparison as text, Markdown, JSON and CSV.
#pragma once

#include <string>

#include "analysis/compare/compare.h"
#include "report/table_options.h"

namespace stepscope {

// In the format that `options` ask for; ends in a newline. As text and
// Markdown, a table has options.style.top rows at most; 15 if that is 0.
std::string RenderComparison(const Comparison& comparison,
                             const TableOptions& options);

}  // namespace stepscope
