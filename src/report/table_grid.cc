// SPDX-License-Identifier: Apache-2.0
#include "report/table_grid.h"

#include <algorithm>
#include <utility>

#include "analysis/looks.h"
#include "analysis/moments.h"
#include "base/text.h"
#include "base/visible_text.h"
#include "report/shown_rows.h"
#include "report/text_table.h"

namespace stepscope {
namespace {

// One list of rows, with the label of the row that each is inside of.
struct Level {
  std::string title;
  const std::vector<TableColumn>* columns = nullptr;
  std::vector<std::pair<std::string, const void*>> rows;
  std::vector<Cell> owners;  // of rows that no one else keeps
};

class TableGridMaker {
 public:
  TableGridMaker(const TableOptions& options, const Cells& cells)
      : options_(options), cells_(cells) {}

  Grid Upright(const std::string& title,
               const std::vector<TableColumn>& columns, const void* row) const {
    Grid grid;
    grid.title = title;
    grid.heads = {"What", "Value"};
    for (const TableColumn& column : columns) {
      if (column.type == CellType::kRows) continue;
      const Cell cell = column.cell(row);
      if (column.only_if_any && IsNull(cell)) continue;
      grid.rows.push_back(
          {ColumnHead(column, cells_.unit()), CellText(column, cell)});
    }
    grid.has_times = false;  // the unit stands in the heads
    return grid;
  }

  // What tells rows apart is at most `longest` characters long.
  Grid Lines(const Level& level, bool with_parent,
             size_t longest = kLongestGridName) const {
    Grid grid;
    grid.keys.clear();
    grid.title = level.title;
    grid.has_times = false;
    std::vector<std::vector<std::string>> lines(level.rows.size());
    if (with_parent) {
      grid.keys.push_back(0);
      grid.heads.push_back("In");
      for (size_t i = 0; i < lines.size(); ++i)
        lines[i].push_back(
            ShownName(level.rows[i].first, longest, options_.style));
    }
    for (const TableColumn& column : *level.columns) {
      if (column.type == CellType::kRows) continue;
      const bool key = column.tells_apart || column.name == "name" ||
                       &column == &level.columns->front();
      std::vector<std::string> texts;
      bool any = level.rows.empty();
      for (const auto& [parent, row] : level.rows) {
        const Cell cell = column.cell(row);
        any = any || !IsNull(cell);
        texts.push_back(
            CellText(column, cell, key ? longest : kLongestGridName));
      }
      if (!any) continue;
      if (key) grid.keys.push_back(grid.heads.size());
      grid.heads.push_back(ColumnHead(column, cells_.unit()));
      for (size_t i = 0; i < lines.size(); ++i)
        lines[i].push_back(std::move(texts[i]));
    }
    grid.rows = std::move(lines);
    if (grid.keys.empty()) grid.keys.push_back(0);
    return grid;
  }

  std::string Label(const std::vector<TableColumn>& columns,
                    const void* row) const {
    return LabelOfRow(columns, row,
                      [&](const TableColumn& column, const Cell& cell) {
                        return CellText(column, cell);
                      });
  }

 private:
  std::string CellText(const TableColumn& column, const Cell& cell,
                       size_t longest = kLongestGridName) const {
    if (const auto* text = std::get_if<std::string_view>(&cell)) {
      if (text->empty() && column.name == "name")
        return std::string(kEmptyName);
      if (options_.format != TableFormat::kText) return std::string(*text);
      return ShownName(ShownIn(column.name, *text), longest, options_.style);
    }
    if (const auto* integer = std::get_if<int64_t>(&cell)) {
      return IsInNanoseconds(column.type) ? cells_.Time(*integer)
                                          : std::to_string(*integer);
    }
    if (const auto* number = std::get_if<double>(&cell)) {
      return column.type == CellType::kRatio ? Cells::Percent(*number)
                                             : Format("%.3f", *number);
    }
    if (const auto* truth = std::get_if<bool>(&cell))
      return *truth ? "yes" : "no";
    if (const auto* list = std::get_if<RowList>(&cell)) {
      const TableColumn& value = column.columns.front();
      std::string text;
      for (size_t i = 0; i < list->size(); ++i) {
        if (i > 0) text += value.type == CellType::kText ? "; " : ", ";
        text += CellText(value, value.cell((*list)[i]));
      }
      return text;
    }
    return "-";
  }

  const TableOptions& options_;
  const Cells& cells_;
};

// What fits a terminal, if nobody says how wide that is.
constexpr size_t kUsualWidth = 100;
constexpr size_t kBetweenColumns = 2;
constexpr size_t kShortestKey = 16;

// What tells rows apart has half of a line; what a short one leaves, the widest
// takes.
size_t LongestKey(const std::vector<size_t>& keys,
                  const std::vector<size_t>& widths, size_t most) {
  size_t all = 0;
  size_t widest = 0;
  for (const size_t key : keys) {
    const size_t width = widths[key] + kBetweenColumns;
    all += width;
    widest = std::max(widest, width);
  }
  const size_t others = all - widest;
  const size_t left = others < most / 2 ? most / 2 - others : 0;
  const size_t room = std::max(left, most / 2 / keys.size());
  return std::max(kShortestKey + kBetweenColumns, room) - kBetweenColumns;
}

// The rows as a grid. Where they are wider than a line, it is printed in parts,
// for which what tells rows apart is not too long.
Grid LinesOf(const TableGridMaker& make, const Level& level, bool with_parent,
             const TableOptions& options) {
  const size_t most =
      options.style.width > 0 ? options.style.width : kUsualWidth;
  Grid grid = make.Lines(level, with_parent);
  const std::vector<size_t> widths = WidthsOf(grid);
  if (options.format == TableFormat::kText && WidthOfLine(widths) > most &&
      grid.keys.size() < widths.size())
    grid = make.Lines(level, with_parent, LongestKey(grid.keys, widths, most));
  grid.most = most;
  return grid;
}

bool HasScalars(const std::vector<TableColumn>& columns) {
  for (const TableColumn& column : columns)
    if (column.type != CellType::kRows) return true;
  return false;
}

void AddLevels(const TableGridMaker& make, const Level& level,
               const TableOptions& options, std::vector<Grid>& grids) {
  for (const TableColumn& column : *level.columns) {
    if (column.type != CellType::kRows) continue;
    Level inner;
    inner.title = level.title + " - " + column.name;
    inner.columns = &column.columns;
    for (const auto& [parent, row] : level.rows) {
      Cell cell = column.cell(row);
      const auto* rows = std::get_if<RowList>(&cell);
      if (rows == nullptr) continue;
      const std::string label = make.Label(*level.columns, row);
      for (size_t i = 0; i < rows->size(); ++i)
        inner.rows.emplace_back(label, (*rows)[i]);
      inner.owners.push_back(std::move(cell));
    }
    if (inner.rows.empty()) continue;
    const bool inside_many =
        HasScalars(*level.columns) && level.rows.size() > 1;
    grids.push_back(LinesOf(make, inner, inside_many, options));
    AddLevels(make, inner, options, grids);
  }
}

}  // namespace

std::string ColumnHead(const TableColumn& column, TimeUnit unit) {
  const TableColumn& value =
      column.type == CellType::kList ? column.columns.front() : column;
  const std::string_view of = IsInNanoseconds(value.type) ? TimeUnitName(unit)
                              : value.type == CellType::kRatio ? "%"
                              : value.type == CellType::kBytes
                                  ? (column.title == "Bytes" ? "" : "bytes")
                                  : column.unit;
  if (of.empty() || of == column.title) return column.title;
  return column.title + " (" + std::string(of) + ")";
}

std::vector<Grid> TableGrids(const TableSchema& table, const Summary& summary,
                             const TableOptions& options, const Cells& cells) {
  const TableGridMaker make(options, cells);
  const ShownRows shown = RowsToShow(table, summary, options.style.top);
  const std::vector<TableColumn> columns =
      WithMomentsFrom(summary.origin_ns, table.columns);
  std::vector<Grid> grids;
  Level level;
  level.title = std::string(table.title);
  level.columns = &columns;
  for (size_t i = 0; i < shown.rows.size(); ++i)
    level.rows.emplace_back("", shown.rows[i]);
  if (HasScalars(columns)) {
    if (table.shape != TableShape::kRows && !level.rows.empty())
      grids.push_back(make.Upright(level.title, columns, shown.rows[0]));
    else
      grids.push_back(LinesOf(make, level, false, options));
    if (shown.left_out > 0)
      grids.back().notes.push_back(MoreRows(shown.left_out, options.style));
  }
  AddLevels(make, level, options, grids);
  return grids;
}

}  // namespace stepscope
