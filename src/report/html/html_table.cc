// SPDX-License-Identifier: Apache-2.0
#include "report/html/html_table.h"

#include <algorithm>
#include <utility>

#include "analysis/looks.h"
#include "analysis/moments.h"
#include "base/name_display.h"
#include "base/text.h"
#include "base/visible_text.h"
#include "report/html/html_text.h"
#include "report/table_grid.h"
#include "report/text_style.h"

namespace stepscope::html {
namespace {

constexpr size_t kLongestHtmlName = 60;

// One list of rows, with the label of the row that each is inside of.
struct Level {
  const std::vector<TableColumn>* columns = nullptr;
  std::vector<std::pair<std::string, const void*>> rows;
  std::vector<Cell> owners;  // of rows that no one else keeps
  bool labelled = false;
  size_t left_out = 0;
};

class Maker {
 public:
  Maker(std::string_view table, const TableStyle& style,
        const Redactor& redactor)
      : table_(table), style_(style), redactor_(redactor) {}

  std::string Lines(const Level& level) const;
  std::string Upright(const std::vector<TableColumn>& columns,
                      const void* row) const;
  std::string Label(const std::vector<TableColumn>& columns,
                    const void* row) const;
  std::vector<const TableColumn*> Shown(const Level& level) const;

 private:
  std::string Text(const TableColumn& column, const Cell& cell) const;
  std::string CellHtml(const TableColumn& column, const Cell& cell) const;
  std::string TextCell(const TableColumn& column, std::string_view text) const;
  bool IsShown(const TableColumn& column) const {
    return column.type != CellType::kRows &&
           std::find(style_.without.begin(), style_.without.end(),
                     column.name) == style_.without.end();
  }

  std::string_view table_;
  const TableStyle& style_;
  const Redactor& redactor_;
};

bool IsNumeric(const TableColumn& column) {
  return column.type != CellType::kText && column.type != CellType::kList &&
         column.type != CellType::kBool;
}

std::string Maker::Text(const TableColumn& column, const Cell& cell) const {
  if (const auto* text = std::get_if<std::string_view>(&cell)) {
    if (text->empty() && column.name == "name") return std::string(kEmptyName);
    return redactor_.Cell(table_, column.name, ShownIn(column.name, *text));
  }
  if (const auto* integer = std::get_if<int64_t>(&cell)) {
    if (IsInNanoseconds(column.type)) return Time(*integer);
    if (column.type == CellType::kBytes) return Bytes(*integer);
    return CountText(*integer);
  }
  if (const auto* number = std::get_if<double>(&cell)) {
    if (column.type == CellType::kRatio) return Share(*number);
    return Format("%.3g", *number) +
           (column.unit.empty() ? "" : "\u202f" + std::string(column.unit));
  }
  if (const auto* truth = std::get_if<bool>(&cell))
    return *truth ? "yes" : "no";
  if (const auto* list = std::get_if<RowList>(&cell)) {
    TableColumn value = column.columns.front();
    value.name = column.name;  // so that its text is hidden alike
    std::string text;
    for (size_t i = 0; i < list->size(); ++i) {
      if (i > 0) text += ", ";
      text += Text(value, value.cell((*list)[i]));
    }
    return text;
  }
  return "\u2013";
}

std::string Maker::TextCell(const TableColumn& column,
                            std::string_view text) const {
  const bool is_name = column.name == "name" || column.name == "file";
  const std::string shown =
      Shorten(VisibleText(is_name && !redactor_.hides() ? ClearName(text)
                                                        : std::string(text)),
              kLongestHtmlName);
  std::string td = is_name ? "<td class=\"name\"" : "<td";
  if (shown != text) td += " title=\"" + Escape(text) + "\"";
  return td + ">" + Escape(shown) + "</td>";
}

std::string Maker::CellHtml(const TableColumn& column, const Cell& cell) const {
  const std::string text = Text(column, cell);
  if (!IsNumeric(column)) return TextCell(column, text);
  std::string value;
  if (const auto* integer = std::get_if<int64_t>(&cell))
    value = std::to_string(*integer);
  if (const auto* number = std::get_if<double>(&cell))
    value = Format("%.17g", *number);
  return "<td class=\"num\" data-v=\"" + value + "\">" + Escape(text) + "</td>";
}

std::string Maker::Label(const std::vector<TableColumn>& columns,
                         const void* row) const {
  for (const TableColumn& column : columns)
    if (column.type != CellType::kRows) return Text(column, column.cell(row));
  return "";
}

// Columns that are empty in every row are left out.
std::vector<const TableColumn*> Maker::Shown(const Level& level) const {
  std::vector<const TableColumn*> shown;
  for (const TableColumn& column : *level.columns) {
    if (!IsShown(column)) continue;
    const bool any = std::any_of(
        level.rows.begin(), level.rows.end(),
        [&](const auto& row) { return !IsNull(column.cell(row.second)); });
    if (any) shown.push_back(&column);
  }
  return shown;
}

std::string Maker::Lines(const Level& level) const {
  const std::vector<const TableColumn*> shown = Shown(level);
  std::string out = "<div class=\"scroll\"><table class=\"data\"><thead><tr>";
  if (level.labelled) out += "<th scope=\"col\">In</th>";
  for (const TableColumn* column : shown) {
    out += std::string("<th scope=\"col\"") +
           (IsNumeric(*column) ? " class=\"num\"" : "") + " title=\"" +
           Escape(column->meaning) + "\">" + Escape(column->title) + "</th>";
  }
  out += "</tr></thead><tbody>\n";
  for (const auto& [label, row] : level.rows) {
    out += "<tr>";
    if (level.labelled) out += "<td>" + Escape(label) + "</td>";
    for (const TableColumn* column : shown)
      out += CellHtml(*column, column->cell(row));
    out += "</tr>\n";
  }
  out += "</tbody></table></div>\n";
  if (level.left_out > 0) {
    out += "<p class=\"note\">" + CountText(level.left_out) +
           (level.left_out == 1 ? " more row is" : " more rows are") +
           " not in this report; --top 0 takes all.</p>\n";
  }
  return out;
}

std::string Maker::Upright(const std::vector<TableColumn>& columns,
                           const void* row) const {
  std::string out = "<table class=\"upright\"><tbody>\n";
  for (const TableColumn& column : columns) {
    if (!IsShown(column)) continue;
    const Cell cell = column.cell(row);
    if (IsNull(cell)) continue;
    out += "<tr><th scope=\"row\" title=\"" + Escape(column.meaning) + "\">" +
           Escape(column.title) + "</th>" + CellHtml(column, cell) + "</tr>\n";
  }
  return out + "</tbody></table>\n";
}

void Cut(Level& level, size_t top) {
  if (top == 0 || level.rows.size() <= top) return;
  level.left_out = level.rows.size() - top;
  level.rows.resize(top);
}

bool HasScalars(const std::vector<TableColumn>& columns) {
  return std::any_of(columns.begin(), columns.end(), [](const auto& column) {
    return column.type != CellType::kRows;
  });
}

// Rows inside the rows of `level`, one table for each column of them.
std::string Nested(const Maker& make, const Level& level, size_t top) {
  std::string out;
  for (const TableColumn& column : *level.columns) {
    if (column.type != CellType::kRows) continue;
    Level inner;
    inner.columns = &column.columns;
    inner.labelled = HasScalars(*level.columns) && level.rows.size() > 1;
    for (const auto& [label, row] : level.rows) {
      Cell cell = column.cell(row);
      const auto* rows = std::get_if<RowList>(&cell);
      if (rows == nullptr) continue;
      const std::string inside = make.Label(*level.columns, row);
      for (size_t i = 0; i < rows->size(); ++i)
        inner.rows.emplace_back(inside, (*rows)[i]);
      inner.owners.push_back(std::move(cell));
    }
    if (inner.rows.empty()) continue;
    Cut(inner, top);
    out += "<h3>" + Escape(column.title) + "</h3>\n" + make.Lines(inner);
  }
  return out;
}

}  // namespace

std::string TableCard(const TableSchema& table, const Summary& summary,
                      std::string_view title, const TableStyle& style,
                      const Redactor& redactor) {
  const RowList rows = table.rows(summary);
  if (rows.size() == 0 || (table.nothing && table.nothing(summary))) return "";
  const Maker make(table.key, style, redactor);
  Level level;
  const std::vector<TableColumn> columns =
      WithMomentsFrom(summary.origin_ns, table.columns);
  level.columns = &columns;
  for (size_t i = 0; i < rows.size(); ++i) level.rows.emplace_back("", rows[i]);
  Cut(level, style.top);
  std::string body;
  if (HasScalars(columns)) {
    body += table.shape == TableShape::kRows
                ? make.Lines(level)
                : make.Upright(columns, level.rows[0].second);
  }
  if (style.nested) body += Nested(make, level, style.top);
  if (body.empty()) return "";
  return "<section class=\"card\" id=\"t-" + Escape(table.key) + "\"><h2>" +
         Escape(title) + " <small>" + Escape(table.meaning) +
         "</small></h2>\n" + body + "</section>\n";
}

}  // namespace stepscope::html
