// SPDX-License-Identifier: Apache-2.0
//
// The summary as one CSV table (RFC 4180): every row of every table, told apart
// by the columns table, thread and parent; empty cells where a column does not
// apply. Times are integer nanoseconds.
#pragma once

#include <string>

#include "analysis/summary.h"
#include "report/table_options.h"

namespace stepscope {

std::string RenderCsv(const Summary& summary, const TableOptions& options);

}  // namespace stepscope
