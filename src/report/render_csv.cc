// SPDX-License-Identifier: Apache-2.0
#include "report/render_csv.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "analysis/tables/all_tables.h"
#include "base/csv.h"
#include "report/shown_rows.h"
#include "report/table_json.h"

namespace stepscope {
namespace {

std::string CellText(const TableColumn& column, const Cell& cell) {
  if (IsNull(cell)) return "";
  if (const auto* text = std::get_if<std::string_view>(&cell))
    return CsvText(*text);
  JsonWriter json;
  WriteCell(json, column, cell);
  const std::string text = json.Take();
  return text == "null" ? "" : CsvValue(text);  // a number that is none
}

// Quoted once, as a whole.
std::string LabelText(const std::vector<TableColumn>& columns,
                      const void* row) {
  bool is_text = false;
  const std::string label = LabelOfRow(
      columns, row, [&](const TableColumn& column, const Cell& cell) {
        const auto* text = std::get_if<std::string_view>(&cell);
        is_text |= text != nullptr;
        return text != nullptr ? std::string(*text) : CellText(column, cell);
      });
  return is_text ? CsvText(label) : label;
}

class CsvWriter {
 public:
  CsvWriter() {
    AddName("table");
    AddName("parent");
  }

  // `rows`: of the table itself.
  void AddHeads(const std::vector<TableColumn>& columns, const RowList& rows) {
    for (const TableColumn& column : columns)
      if (column.type == CellType::kRows)
        AddHeads(column.columns, {});
      else if (!column.only_if_any || HasAny(column, rows))
        AddName(FlatName(column.name));
  }

  void AddRows(const std::string& table, std::string_view parent,
               const std::vector<TableColumn>& columns, const RowList& rows) {
    for (size_t i = 0; i < rows.size(); ++i)
      AddRow(table, parent, columns, rows[i]);
  }

  std::string Take() {
    std::string head;
    for (const std::string& name : names_) {
      if (!head.empty()) head += ',';
      head += name;
    }
    return head + '\n' + body_;
  }

 private:
  static bool HasAny(const TableColumn& column, const RowList& rows) {
    for (size_t i = 0; i < rows.size(); ++i)
      if (!IsNull(column.cell(rows[i]))) return true;
    return false;
  }

  void AddName(const std::string& name) {
    if (slots_.emplace(name, names_.size()).second) names_.push_back(name);
  }

  void AddRow(const std::string& table, std::string_view parent,
              const std::vector<TableColumn>& columns, const void* row) {
    std::vector<std::string> cells(names_.size());
    cells[0] = table;
    cells[1] = std::string(parent);
    bool any = false;
    for (const TableColumn& column : columns) {
      if (column.type == CellType::kRows) continue;
      any = true;
      if (const auto slot = slots_.find(FlatName(column.name));
          slot != slots_.end())
        cells[slot->second] = CellText(column, column.cell(row));
    }
    if (any) AddLine(cells);
    for (const TableColumn& column : columns) {
      if (column.type != CellType::kRows) continue;
      const Cell cell = column.cell(row);
      if (const auto* rows = std::get_if<RowList>(&cell)) {
        AddRows(table + "_" + FlatName(column.name), LabelText(columns, row),
                column.columns, *rows);
      }
    }
  }

  void AddLine(const std::vector<std::string>& cells) {
    for (size_t i = 0; i < cells.size(); ++i) {
      if (i > 0) body_ += ',';
      body_ += cells[i];
    }
    body_ += '\n';
  }

  std::vector<std::string> names_;
  std::unordered_map<std::string, size_t> slots_;  // by name
  std::string body_;
};

}  // namespace

std::string FlatName(std::string_view name) {
  std::string flat(name);
  std::replace(flat.begin(), flat.end(), '.', '_');
  return flat;
}

std::string RenderCsv(const Summary& summary,
                      std::span<const TableSchema* const> tables,
                      const TextStyle& style) {
  CsvWriter csv;
  std::vector<RowList> rows;
  for (const TableSchema* table : tables) {
    rows.push_back(RowsToShow(*table, summary, style.top).rows);
    csv.AddHeads(table->columns, rows.back());
  }
  for (size_t i = 0; i < tables.size(); ++i)
    csv.AddRows(std::string(tables[i]->key), "", tables[i]->columns, rows[i]);
  return csv.Take();
}

std::string RenderCsv(const Summary& summary, const TableOptions& options) {
  std::vector<const TableSchema*> tables;
  for (const TableSchema& table : AllTables())
    if (options.chosen_views() & table.view) tables.push_back(&table);
  return RenderCsv(summary, tables, options.style);
}

}  // namespace stepscope
