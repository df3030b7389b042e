// SPDX-License-Identifier: Apache-2.0
//
// Any table as JSON. Every key is always present: without a value it is null,
// without rows [].
#pragma once

#include "analysis/schema.h"
#include "base/json_writer.h"

namespace stepscope {

// The value that stands for the table: a list, an object or null.
void WriteTable(JsonWriter& json, const TableSchema& table,
                const RowList& rows);
// "time", "moment", ...; "sum", "union" or ""; "ns", "bytes" or its own.
std::string_view TypeText(CellType type);
std::string_view AddsText(Adds adds);
std::string_view UnitText(const TableColumn& column);
// One value of `column`.
void WriteCell(JsonWriter& json, const TableColumn& column, const Cell& cell);

}  // namespace stepscope
