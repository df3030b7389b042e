// SPDX-License-Identifier: Apache-2.0
#include "report/table_grid.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "analysis/moments.h"
#include "analysis/looks.h"
#include "base/text.h"
#include "base/visible_text.h"
#include "report/shown_rows.h"

namespace stepscope {
namespace {

// One list of rows, with the label of the row that each is inside of.
struct Level {
  std::string title;
  const std::vector<TableColumn>* columns = nullptr;
  std::vector<std::pair<std::string, const void*>> rows;
  std::vector<Cell> owners;  // of rows that no one else keeps
};

// Those rows as a grid.
struct KeyedGrid {
  Grid grid;
  std::vector<size_t> keys;  // columns that tell rows apart
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
  KeyedGrid Lines(const Level& level, bool with_parent,
                  size_t longest = kLongestGridName) const {
    KeyedGrid made;
    Grid& grid = made.grid;
    grid.title = level.title;
    grid.has_times = false;
    std::vector<std::vector<std::string>> lines(level.rows.size());
    if (with_parent) {
      made.keys.push_back(0);
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
      if (key) made.keys.push_back(grid.heads.size());
      grid.heads.push_back(ColumnHead(column, cells_.unit()));
      for (size_t i = 0; i < lines.size(); ++i)
        lines[i].push_back(std::move(texts[i]));
    }
    grid.rows = std::move(lines);
    if (made.keys.empty()) made.keys.push_back(0);
    return made;
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

// Of the columns of a grid, with what is between them.
std::vector<size_t> WidthsOf(const Grid& grid) {
  std::vector<size_t> widths;
  for (size_t i = 0; i < grid.heads.size(); ++i) {
    size_t width = DisplayWidth(grid.heads[i]);
    for (const auto& row : grid.rows)
      width = std::max(width, DisplayWidth(row[i]));
    widths.push_back(width + kBetweenColumns);
  }
  return widths;
}

// Adds these columns of it.
void AddPart(const Grid& whole, const std::vector<size_t>& columns, bool first,
             std::vector<Grid>& grids) {
  const auto take = [&](const std::vector<std::string>& all) {
    std::vector<std::string> some;
    for (const size_t i : columns) some.push_back(all[i]);
    return some;
  };
  Grid part;
  part.title = whole.title + (first ? "" : " (continued)");
  part.has_times = whole.has_times;
  part.heads = take(whole.heads);
  for (const auto& row : whole.rows) part.rows.push_back(take(row));
  grids.push_back(std::move(part));
}

// What tells rows apart has half of a line; what a short one leaves, the widest
// takes.
size_t LongestKey(const std::vector<size_t>& keys,
                  const std::vector<size_t>& widths, size_t most) {
  size_t all = 0;
  size_t widest = 0;
  for (const size_t key : keys) {
    all += widths[key];
    widest = std::max(widest, widths[key]);
  }
  const size_t others = all - widest;
  const size_t left = others < most / 2 ? most / 2 - others : 0;
  const size_t room = std::max(left, most / 2 / keys.size());
  return std::max(kShortestKey + kBetweenColumns, room) - kBetweenColumns;
}

// Adds the rows; where they are wider than a line, in parts that each have what
// tells rows apart, so that a line of the terminal is a row.
void AddLines(const TableGridMaker& make, const Level& level, bool with_parent,
              const TableOptions& options, std::vector<Grid>& grids) {
  const size_t most =
      options.style.width > 0 ? options.style.width : kUsualWidth;
  KeyedGrid lines = make.Lines(level, with_parent);
  std::vector<size_t> widths = WidthsOf(lines.grid);
  const auto sum = [](size_t all, size_t width) { return all + width; };
  if (options.format != TableFormat::kText ||
      std::accumulate(widths.begin(), widths.end(), size_t{0}, sum) <= most ||
      lines.keys.size() == widths.size()) {
    grids.push_back(std::move(lines.grid));
    return;
  }
  lines = make.Lines(level, with_parent, LongestKey(lines.keys, widths, most));
  widths = WidthsOf(lines.grid);
  size_t of_keys = 0;
  for (const size_t key : lines.keys) of_keys += widths[key];
  std::vector<size_t> part = lines.keys;
  size_t width = of_keys;
  bool first = true;
  for (size_t i = 0; i < widths.size(); ++i) {
    if (std::ranges::find(lines.keys, i) != lines.keys.end()) continue;
    if (part.size() > lines.keys.size() && width + widths[i] > most) {
      AddPart(lines.grid, part, std::exchange(first, false), grids);
      part = lines.keys;
      width = of_keys;
    }
    part.push_back(i);
  const std::vector<TableColumn> columns =
      WithMomentsFrom(summary.origin_ns, table.columns);
    width += widths[i];
  }
  AddPart(lines.grid, part, first, grids);
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
    AddLines(make, inner, inside_many, options, grids);
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
  std::vector<Grid> grids;
  Level level;
  level.title = std::string(table.title);
  level.columns = &table.columns;
  for (size_t i = 0; i < shown.rows.size(); ++i)
    level.rows.emplace_back("", shown.rows[i]);
  if (HasScalars(table.columns)) {
    if (table.shape != TableShape::kRows && !level.rows.empty())
      grids.push_back(make.Upright(level.title, table.columns, shown.rows[0]));
    else
      AddLines(make, level, false, options, grids);
    if (shown.left_out > 0)
      grids.back().notes.push_back(MoreRows(shown.left_out, options.style));
  }
  AddLevels(make, level, options, grids);
  return grids;
}

}  // namespace stepscope
