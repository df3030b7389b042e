// SPDX-License-Identifier: Apache-2.0
//
// The summary as one CSV table (RFC 4180). The column `table` says which table
// a row is of; the others are the columns of the chosen tables, under their
// names in JSON joined by '_' (cpu_total_ns). Rows inside a row follow it as
// rows of the table <table>_<column> (operator_inner), and `parent` is the
// first column of the row that they are inside of. A list is a JSON list.
// Text that a spreadsheet would run as a formula begins with an apostrophe.
// Times are integer nanoseconds.
#pragma once

#include <span>
#include <string>

#include "analysis/schema.h"
#include "analysis/summary.h"
#include "report/table_options.h"

namespace stepscope {

std::string RenderCsv(const Summary& summary, const TableOptions& options);
// The same of any tables.
std::string RenderCsv(const Summary& summary,
                      std::span<const TableSchema* const> tables,
                      const TextStyle& style);

// A name in JSON as the other formats have it: cpu.total_ns is cpu_total_ns.
std::string FlatName(std::string_view name);

}  // namespace stepscope
