// SPDX-License-Identifier: Apache-2.0
//
// The summary as text, in the layout of paddle.profiler.
#pragma once

#include <string>

#include "analysis/schema.h"
#include "analysis/summary.h"
#include "report/table_options.h"

namespace stepscope {

std::string RenderText(const Summary& summary, const TableOptions& options);
// One table in a layout that any table can have, whichever views `options`
// name.
std::string RenderTableText(const TableSchema& table, const Summary& summary,
                            const TableOptions& options);

}  // namespace stepscope
