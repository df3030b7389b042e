// SPDX-License-Identifier: Apache-2.0
#include "query/result_text.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/json_text.h"
#include "base/json_writer.h"

namespace stepscope {
namespace {

using duckdb::TypeId;

std::string NumberText(const QueryResult& rows, size_t column, size_t row) {
  switch (rows.type(column)) {
    case TypeId::kHugeint:
      return WideText(static_cast<WideInteger>(WideAt(rows, column, row)));
    case TypeId::kUhugeint:
      return WideText(WideAt(rows, column, row));
    case TypeId::kUbigint:
      return std::to_string(static_cast<uint64_t>(rows.Int64(column, row)));
    case TypeId::kFloat:
    case TypeId::kDouble:
      return JsonWriter().Number(rows.Double(column, row)).Take();
    default:
      return std::to_string(rows.Int64(column, row));
  }
}

}  // namespace

bool IsPrintable(std::string_view sql_type) {
  constexpr std::array<std::string_view, 14> kPrintable = {
      "BOOLEAN",  "TINYINT",   "SMALLINT", "INTEGER", "BIGINT",
      "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "HUGEINT",
      "UHUGEINT", "FLOAT",     "DOUBLE",   "VARCHAR"};
  return std::find(kPrintable.begin(), kPrintable.end(), sql_type) !=
         kPrintable.end();
}

std::string PrintedAs(std::string_view sql_type) {
  if (!sql_type.starts_with("DECIMAL(")) return "VARCHAR";
  return sql_type.ends_with(",0)") ? "HUGEINT" : "DOUBLE";
}

UnsignedWideInteger WideAt(const QueryResult& rows, size_t column, size_t row) {
  struct Halves {  // as DuckDB lays 128 bits out
    uint64_t low;
    uint64_t high;
  };
  const Halves& halves = static_cast<const Halves*>(rows.data(column))[row];
  return static_cast<UnsignedWideInteger>(halves.high) << 64 | halves.low;
}

bool IsNumeric(TypeId type) {
  return type != TypeId::kVarchar && type != TypeId::kBoolean;
}

std::string CellText(const QueryResult& rows, size_t column, size_t row) {
  if (rows.IsNull(column, row)) return "";
  switch (rows.type(column)) {
    case TypeId::kVarchar:
      return std::string(rows.Text(column, row));
    case TypeId::kBoolean:
      return rows.Int64(column, row) != 0 ? "true" : "false";
    default: {
      std::string text = NumberText(rows, column, row);
      return text == "null" ? "" : text;
    }
  }
}

void AppendCellJson(std::string& out, const QueryResult& rows, size_t column,
                    size_t row) {
  if (rows.IsNull(column, row)) {
    out += "null";
  } else if (rows.type(column) == TypeId::kVarchar) {
    AppendJsonString(out, rows.Text(column, row));
  } else if (rows.type(column) == TypeId::kBoolean) {
    out += CellText(rows, column, row);
  } else {
    out += NumberText(rows, column, row);
  }
}

}  // namespace stepscope
