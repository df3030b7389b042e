// SPDX-License-Identifier: Apache-2.0
//
// Cells of a query's rows as text: for JSON, CSV and a table on a terminal.
// Whole numbers stay whole, sums of 128 bits too.
#pragma once

#include <string>
#include <string_view>

#include "base/wide_integer.h"
#include "query/database.h"

namespace stepscope {

// Whether cells of this type (as DESCRIBE names it) can be printed as they
// are: numbers, truth values and text.
bool IsPrintable(std::string_view sql_type);

// The type that cells of any other type are printed as.
std::string PrintedAs(std::string_view sql_type);

// Whether cells of a column are numbers, to stand on the right.
bool IsNumeric(duckdb::TypeId type);

// The bits of a cell of type HUGEINT or UHUGEINT.
UnsignedWideInteger WideAt(const QueryResult& rows, size_t column, size_t row);

// A cell as people read it; empty for NULL.
std::string CellText(const QueryResult& rows, size_t column, size_t row);
// A cell as a value of JSON, appended. What JSON cannot hold (NaN) is null.
void AppendCellJson(std::string& out, const QueryResult& rows, size_t column,
                    size_t row);

}  // namespace stepscope
