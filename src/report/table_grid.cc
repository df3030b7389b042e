// SPDX-License-Identifier: Apache-2.0
#include "report/table_grid.h"

#include <algorithm>
#include <cctype>
#include <utility>

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

  Grid Lines(const Level& level, bool with_parent) const {
    Grid grid;
    grid.title = level.title;
    grid.has_times = false;
    std::vector<std::vector<std::string>> lines(level.rows.size());
    if (with_parent) {
      grid.heads.push_back("In");
      for (size_t i = 0; i < lines.size(); ++i)
        lines[i].push_back(level.rows[i].first);
    }
    for (const TableColumn& column : *level.columns) {
      if (column.type == CellType::kRows) continue;
      std::vector<std::string> texts;
      bool any = level.rows.empty();
      for (const auto& [parent, row] : level.rows) {
        const Cell cell = column.cell(row);
        any = any || !IsNull(cell);
        texts.push_back(CellText(column, cell));
      }
      if (!any) continue;
      grid.heads.push_back(ColumnHead(column, cells_.unit()));
      for (size_t i = 0; i < lines.size(); ++i)
        lines[i].push_back(std::move(texts[i]));
    }
    grid.rows = std::move(lines);
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
  std::string CellText(const TableColumn& column, const Cell& cell) const {
    if (const auto* text = std::get_if<std::string_view>(&cell)) {
      if (text->empty() && column.name == "name")
        return std::string(kEmptyName);
      if (options_.format != TableFormat::kText) return std::string(*text);
      return ShownName(ShownIn(column.name, *text), kLongestGridName,
                       options_.style);
    }
    if (const auto* integer = std::get_if<int64_t>(&cell)) {
      return column.type == CellType::kTime ? cells_.Time(*integer)
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

// Adds the grid; one that is wider than a line in parts, each with the first
// column, so that a line of the terminal is a row.
void AddParts(Grid grid, const TableOptions& options,
              std::vector<Grid>& grids) {
  const size_t most =
      options.style.width > 0 ? options.style.width : kUsualWidth;
  std::vector<size_t> widths;
  for (size_t i = 0; i < grid.heads.size(); ++i) {
    size_t width = DisplayWidth(grid.heads[i]);
    for (const auto& row : grid.rows)
      width = std::max(width, DisplayWidth(row[i]));
    widths.push_back(width + kBetweenColumns);
  }
  if (options.format != TableFormat::kText || widths.size() < 3) {
    grids.push_back(std::move(grid));
    return;
  }
  for (size_t first = 1; first < widths.size();) {
    size_t last = first;
    size_t width = widths[0];
    while (last < widths.size() &&
           (last == first || width + widths[last] <= most))
      width += widths[last++];
    Grid part;
    part.title = grid.title + (first > 1 ? " (continued)" : "");
    part.has_times = grid.has_times;
    const auto take = [&](const std::vector<std::string>& all) {
      std::vector<std::string> some = {all[0]};
      some.insert(some.end(), all.begin() + static_cast<ptrdiff_t>(first),
                  all.begin() + static_cast<ptrdiff_t>(last));
      return some;
    };
    part.heads = take(grid.heads);
    for (const auto& row : grid.rows) part.rows.push_back(take(row));
    if (last == widths.size()) part.notes = std::move(grid.notes);
    grids.push_back(std::move(part));
    first = last;
  }
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
    AddParts(make.Lines(inner, inside_many), options, grids);
    AddLevels(make, inner, options, grids);
  }
}

}  // namespace

std::string ColumnHead(const TableColumn& column, TimeUnit unit) {
  std::string head;
  std::string word;
  const auto end_word = [&] {
    if (word == "cpu" || word == "gpu" || word == "ttft" || word == "tpot")
      for (char& c : word) c = static_cast<char>(std::toupper(c));
    else if (word == "flops")
      word = "FLOPs";
    else if ((word == "ns" && column.type == CellType::kTime) ||
             (word == "ratio" && column.type == CellType::kRatio))
      word.clear();
    if (word.empty()) return;
    if (!head.empty()) head += ' ';
    head += word;
    word.clear();
  };
  for (const char c : column.name)
    if (c == '.' || c == '_')
      end_word();
    else
      word += c;
  end_word();
  if (!head.empty()) {
    head[0] =
        static_cast<char>(std::toupper(static_cast<unsigned char>(head[0])));
  }
  const bool times = column.type == CellType::kTime ||
                     (column.type == CellType::kList &&
                      column.columns.front().type == CellType::kTime);
  if (times) return head + " (" + std::string(TimeUnitName(unit)) + ")";
  if (column.type == CellType::kRatio) return head.empty() ? "%" : head + " %";
  return head;
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
      grids.push_back(make.Lines(level, false));
    if (shown.left_out > 0)
      grids.back().notes.push_back(MoreRows(shown.left_out, options.style));
  }
  AddLevels(make, level, options, grids);
  return grids;
}

}  // namespace stepscope
