// SPDX-License-Identifier: Apache-2.0
//
// The summary as Markdown tables, one heading each.
#pragma once

#include <string>

#include "analysis/schema.h"
#include "analysis/summary.h"
#include "report/table_options.h"

namespace stepscope {

std::string RenderMarkdown(const Summary& summary, const TableOptions& options);
// One table, whichever views `options` name.
std::string RenderTableMarkdown(const TableSchema& table,
                                const Summary& summary,
                                const TableOptions& options);

}  // namespace stepscope
