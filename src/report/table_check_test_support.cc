// SPDX-License-Identifier: Apache-2.0
#include "report/table_check_test_support.h"

#include <set>
#include <sstream>

#include "base/file.h"
#include "base/json_writer.h"
#include "report/render_csv.h"
#include "report/render_markdown.h"
#include "report/render_text.h"
#include "report/table_arrow.h"
#include "report/table_docs.h"
#include "report/table_json.h"

namespace stepscope {
namespace {

// Whether a cell is of the type that its column declares.
bool Fits(CellType type, const Cell& cell) {
  if (IsNull(cell)) return true;
  switch (type) {
    case CellType::kTime:
    case CellType::kMoment:
    case CellType::kCount:
    case CellType::kBytes:
      return std::holds_alternative<int64_t>(cell);
    case CellType::kRatio:
    case CellType::kNumber:
      return std::holds_alternative<double>(cell);
    case CellType::kText:
      return std::holds_alternative<std::string_view>(cell);
    case CellType::kBool:
      return std::holds_alternative<bool>(cell);
    case CellType::kList:
    case CellType::kRows:
      return std::holds_alternative<RowList>(cell);
  }
  return false;
}

// Whether its name says that a time is a moment.
bool SaysWhen(std::string_view name) {
  for (const std::string_view end :
       {"start_ns", "end_ns", "arrival_ns", "_at_ns"})
    if (name.ends_with(end)) return true;
  return name == "at_ns";
}

class Checker {
 public:
  Checker(const Summary& summary, const std::string& docs)
      : summary_(summary), docs_(docs) {}

  void Check(const TableSchema& table) {
    where_ = "table \"" + std::string(table.key) + "\"";
    Require(!table.key.empty(), "no key");
    Require(!table.title.empty(), "no title");
    Require(!table.meaning.empty(), "no meaning");
    Require(table.view.size() == 1, "its view is not one bit");
    Require(!(views_ & table.view), "its view is another's too");
    views_ |= table.view;
    Require(keys_.insert(std::string(table.key)).second, "declared twice");
    Require(!table.columns.empty(), "no columns");
    Require(table.rows != nullptr, "no rows");
    if (!CheckColumns(table.columns) || table.rows == nullptr) return;
    CheckRows(table.columns, table.rows(summary_));
    CheckFormats(table);
    CheckPage(table);
  }

  std::vector<std::string> Take() { return std::move(problems_); }

 private:
  bool Require(bool good, const std::string& what) {
    if (!good) problems_.push_back(where_ + ": " + what);
    return good;
  }

  bool CheckColumns(const std::vector<TableColumn>& columns) {
    bool good = true;
    std::set<std::string> names;
    for (const TableColumn& column : columns) {
      const std::string what = "column \"" + column.name + "\"";
      good &= Require(!column.name.empty(), what + ": no name");
      good &= Require(!column.meaning.empty(), what + ": no meaning");
      good &= Require(column.cell != nullptr, what + ": no way to a cell");
      good &= Require(names.insert(FlatName(column.name)).second,
                      what + ": declared twice");
      good &= Require(column.type != CellType::kNumber || !column.unit.empty(),
                      what + ": no unit");
      good &= Require(column.type != CellType::kTime || !SaysWhen(column.name),
                      what + ": says when, but is not declared so");
      if (column.type == CellType::kRows) {
        good &= Require(!column.columns.empty(), what + ": no inner columns");
        good &= CheckColumns(column.columns);
      } else if (column.type == CellType::kList) {
        good &=
            Require(column.columns.size() == 1, what + ": no type of value");
      }
    }
    return good;
  }

  void CheckRows(const std::vector<TableColumn>& columns, const RowList& rows) {
    for (size_t i = 0; i < rows.size(); ++i) {
      for (const TableColumn& column : columns) {
        const Cell cell = column.cell(rows[i]);
        Require(Fits(column.type, cell),
                "column \"" + column.name + "\": a cell of another type");
        const auto* inner = std::get_if<RowList>(&cell);
        if (inner != nullptr && column.type == CellType::kRows) {
          CheckRows(column.columns, *inner);
        }
      }
    }
  }

  static bool IsEmpty(const TableColumn& column, const RowList& rows) {
    for (size_t i = 0; i < rows.size(); ++i)
      if (!IsNull(column.cell(rows[i]))) return false;
    return true;
  }

  void CheckFormats(const TableSchema& table) {
    const TableSchema* one[] = {&table};
    const std::string csv = RenderCsv(summary_, one, {});
    std::set<std::string> heads;
    std::istringstream head(csv.substr(0, csv.find('\n')));
    for (std::string name; std::getline(head, name, ',');) heads.insert(name);
    ArrowSchema arrow;
    ExportArrowSchema(table, &arrow);
    Require(static_cast<size_t>(arrow.n_children) == table.columns.size(),
            "Arrow has other columns");
    for (size_t i = 0; i < table.columns.size(); ++i) {
      const TableColumn& column = table.columns[i];
      const std::string name = FlatName(column.name);
      Require(arrow.children[i]->name == name, "Arrow has no " + name);
      if (column.type == CellType::kRows) continue;
      if (column.only_if_any && IsEmpty(column, table.rows(summary_)))
        Require(!heads.contains(name), "CSV has an empty " + name);
      else
        Require(heads.contains(name), "CSV has no " + name);
    }
    arrow.release(&arrow);
    JsonWriter json;
    WriteTable(json, table, table.rows(summary_));
    Require(!json.Take().empty(), "no JSON");
    if (table.rows(summary_).size() == 0) return;
    Require(!RenderTableMarkdown(table, summary_, {}).empty(), "no Markdown");
    Require(!RenderTableText(table, summary_, {}).empty(), "no text");
  }

  void CheckPage(const TableSchema& table) {
    const std::string path = docs_ + "/" + std::string(table.key) + ".md";
    const Result<std::string> page = ReadFile(path);
    if (!Require(page.has_value(), "no page " + path)) return;
    Require(page->find(ColumnSection(table)) != page->npos,
            path + " has other columns; STEPSCOPE_UPDATE_DOCS=1 rewrites it");
  }

  const Summary& summary_;
  const std::string& docs_;
  std::string where_;
  ViewSet views_;
  std::set<std::string> keys_;
  std::vector<std::string> problems_;
};

}  // namespace

std::vector<std::string> TableProblems(std::span<const TableSchema> tables,
                                       const Summary& summary,
                                       const std::string& docs) {
  Checker checker(summary, docs);
  for (const TableSchema& table : tables) checker.Check(table);
  return checker.Take();
}

}  // namespace stepscope
