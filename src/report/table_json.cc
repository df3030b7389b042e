// SPDX-License-Identifier: Apache-2.0
#include "report/table_json.h"

#include <algorithm>
#include <span>

namespace stepscope {
namespace {

// "cpu" of "cpu.total_ns"; empty if the column is in no object.
std::string_view ObjectOf(std::string_view name) {
  const size_t dot = name.find('.');
  return dot == name.npos ? std::string_view() : name.substr(0, dot);
}

std::string_view KeyOf(std::string_view name) {
  const size_t dot = name.find('.');
  return dot == name.npos ? name : name.substr(dot + 1);
}

void WriteColumn(JsonWriter& json, const TableColumn& column,
                 const Cell& cell) {
  if (column.absent_if_null && IsNull(cell)) return;
  json.Key(KeyOf(column.name));
  WriteCell(json, column, cell);
}

// Whether there is nothing to say of an object, and nobody expects it.
bool IsAbsent(std::span<const TableColumn> columns, const void* row) {
  return std::ranges::all_of(columns, [&](const TableColumn& column) {
    return column.absent_if_null && IsNull(column.cell(row));
  });
}

// Columns of one object; null if none of them has a value.
void WriteObject(JsonWriter& json, std::span<const TableColumn> columns,
                 const void* row) {
  std::vector<Cell> cells;
  bool any = false;
  for (const TableColumn& column : columns) {
    cells.push_back(column.cell(row));
    any = any || !IsNull(cells.back());
  }
  if (!any) {
    json.Null();
    return;
  }
  json.BeginObject();
  for (size_t i = 0; i < columns.size(); ++i)
    WriteColumn(json, columns[i], cells[i]);
  json.EndObject();
}

void WriteRow(JsonWriter& json, std::span<const TableColumn> columns,
              const void* row) {
  json.BeginObject();
  for (size_t i = 0; i < columns.size();) {
    const std::string_view object = ObjectOf(columns[i].name);
    if (object.empty()) {
      WriteColumn(json, columns[i], columns[i].cell(row));
      ++i;
      continue;
    }
    size_t end = i + 1;
    while (end < columns.size() && ObjectOf(columns[end].name) == object) ++end;
    const auto members = columns.subspan(i, end - i);
    i = end;
    if (IsAbsent(members, row)) continue;
    json.Key(object);
    WriteObject(json, members, row);
  }
  json.EndObject();
}

void WriteRows(JsonWriter& json, std::span<const TableColumn> columns,
               const RowList& rows) {
  json.BeginArray();
  for (size_t i = 0; i < rows.size(); ++i) WriteRow(json, columns, rows[i]);
  json.EndArray();
}

}  // namespace

std::string_view TypeText(CellType type) {
  static constexpr std::string_view kNames[] = {
      "time",   "moment", "count", "bytes", "ratio",
      "number", "text",   "bool",  "list",  "rows"};
  return kNames[static_cast<size_t>(type)];
}

std::string_view AddsText(Adds adds) {
  return adds == Adds::kSum ? "sum" : adds == Adds::kUnion ? "union" : "";
}

std::string_view UnitText(const TableColumn& column) {
  if (IsInNanoseconds(column.type)) return "ns";
  if (column.type == CellType::kBytes) return "bytes";
  return column.unit;
}

void WriteCell(JsonWriter& json, const TableColumn& column, const Cell& cell) {
  if (const auto* integer = std::get_if<int64_t>(&cell)) {
    json.Int(*integer);
  } else if (const auto* number = std::get_if<double>(&cell)) {
    json.Number(*number);
  } else if (const auto* truth = std::get_if<bool>(&cell)) {
    json.Bool(*truth);
  } else if (const auto* text = std::get_if<std::string_view>(&cell)) {
    json.String(*text);
  } else if (const auto* rows = std::get_if<RowList>(&cell)) {
    if (column.type == CellType::kRows) {
      WriteRows(json, column.columns, *rows);
      return;
    }
    const TableColumn& value = column.columns.front();
    json.BeginArray();
    for (size_t i = 0; i < rows->size(); ++i)
      WriteCell(json, value, value.cell((*rows)[i]));
    json.EndArray();
  } else {
    json.Null();
  }
}

void WriteTable(JsonWriter& json, const TableSchema& table,
                const RowList& rows) {
  if (table.shape == TableShape::kRows) {
    WriteRows(json, table.columns, rows);
  } else if (rows.size() > 0) {
    WriteRow(json, table.columns, rows[0]);
  } else if (table.shape == TableShape::kOne) {
    json.Null();
  } else {
    json.BeginObject();
    for (const TableColumn& column : table.columns)
      json.Key(column.name).BeginArray().EndArray();
    json.EndObject();
  }
}

}  // namespace stepscope
