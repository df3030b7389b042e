// SPDX-License-Identifier: Apache-2.0
#include "report/table_docs.h"

#include <algorithm>

#include "report/table_json.h"

namespace stepscope {
namespace {

std::string TypeName(CellType type) {
  switch (type) {
    case CellType::kTime:
      return "time, ns";
    case CellType::kMoment:
      return "moment, ns";
    case CellType::kRatio:
      return "ratio, 0..1";
    case CellType::kBool:
      return "true or false";
    default:
      return std::string(TypeText(type));
  }
}

void AddColumns(const std::string& prefix,
                const std::vector<TableColumn>& columns, std::string& out) {
  for (const TableColumn& column : columns) {
    std::string type = TypeName(column.type);
    if (column.type == CellType::kNumber) type = column.unit;
    if (column.type == CellType::kList)
      type = "list of " + TypeName(column.columns.front().type);
    out += "| `" + prefix + column.name + "` | " + type + " | " +
           std::string(AddsText(column.adds)) + " | " + column.meaning + " |\n";
    if (column.type == CellType::kRows)
      AddColumns(prefix + column.name + "[].", column.columns, out);
  }
}

bool HasMoments(const std::vector<TableColumn>& columns) {
  return std::ranges::any_of(columns, [](const TableColumn& column) {
    return column.type == CellType::kMoment || HasMoments(column.columns);
  });
}

}  // namespace

std::string ColumnSection(const TableSchema& table) {
  std::string out(kColumnsBegin);
  out += "\n## Columns as data\n\nView `" + std::string(table.key) + "`";
  if (!table.paddle_name.empty())
    out += " or `" + std::string(table.paddle_name) + "`";
  if (!table.json_views) out += "; in JSON part of other tables";
  out +=
      ". CSV and Arrow join names by `_`. *Union*: what happens twice at once "
      "counts once; *sum*: twice.";
  if (HasMoments(table.columns))
    out +=
        " *Moment*: on the clock of the trace as data; text, Markdown and the "
        "viewer count from the start of the trace.";
  out += "\n\n| column | type | adds up | meaning |\n|---|---|---|---|\n";
  AddColumns("", table.columns, out);
  return out + std::string(kColumnsEnd);
}

std::string WithColumnSection(std::string_view page, const TableSchema& table) {
  const size_t begin = page.find(kColumnsBegin);
  const size_t end = page.find(kColumnsEnd);
  std::string result(page);
  if (begin == page.npos || end == page.npos || end < begin)
    return result + "\n" + ColumnSection(table) + "\n";
  result.replace(begin, end + kColumnsEnd.size() - begin, ColumnSection(table));
  return result;
}

}  // namespace stepscope
