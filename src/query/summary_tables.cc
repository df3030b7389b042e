// SPDX-License-Identifier: Apache-2.0
#include "query/summary_tables.h"

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "analysis/summary.h"
#include "analysis/tables/all_tables.h"
#include "base/utf8.h"
#include "report/render_csv.h"
#include "report/table_json.h"

namespace stepscope {
namespace {

// What rows refer to.
struct Computed {
  std::shared_ptr<const Trace> trace;
  Summary summary;
};
using Owner = std::shared_ptr<const void>;

std::string NameOf(const TableSchema& table) {
  return "summary_" + std::string(table.key);
}

std::string NameOf(const ViewTable& table) {
  return "view_" + std::string(table.key);
}

ColumnType TypeOf(CellType type) {
  switch (type) {
    case CellType::kTime:
    case CellType::kMoment:
    case CellType::kCount:
    case CellType::kBytes:
      return ColumnType::kBigint;
    case CellType::kRatio:
    case CellType::kNumber:
      return ColumnType::kDouble;
    case CellType::kBool:
      return ColumnType::kBoolean;
    default:
      return ColumnType::kText;
  }
}

// A list is a JSON list.
std::string TextOf(const TableColumn& column, const Cell& cell) {
  if (const auto* text = std::get_if<std::string_view>(&cell))
    return ValidUtf8(*text);
  JsonWriter json;
  WriteCell(json, column, cell);
  return json.Take();
}

class SummarySource : public TableSource {
 public:
  SummarySource(Owner owner, const std::vector<TableColumn>& columns,
                bool inner)
      : owner_(std::move(owner)), first_(inner ? 1 : 0) {
    if (inner)
      specs_.push_back({"parent", ColumnType::kText, "row around it", true});
    for (const TableColumn& column : columns) {
      if (column.type == CellType::kRows) continue;
      columns_.push_back(&column);
      names_.push_back(FlatName(column.name));
      specs_.push_back({names_.back().c_str(), TypeOf(column.type),
                        column.meaning.c_str(), true});
    }
  }

  void Add(const std::string& parent, const RowList& rows) {
    kept_.push_back(rows);
    for (size_t i = 0; i < rows.size(); ++i) rows_.push_back({parent, rows[i]});
  }
  std::span<const ColumnSpec> columns() const override { return specs_; }
  uint64_t rows() const override { return columns_.empty() ? 0 : rows_.size(); }
  void Fill(size_t column, uint64_t first, size_t count,
            VectorOut& out) const override {
    for (size_t i = 0; i < count; ++i) {
      const auto& [parent, row] = rows_[first + i];
      if (column < first_) {
        out.CopyText(i, parent);
        continue;
      }
      const TableColumn& of = *columns_[column - first_];
      const Cell cell = of.cell(row);
      if (IsNull(cell)) {
        if (specs_[column].type == ColumnType::kText)
          out.data<duckdb::Text>()[i] = {};
        out.SetNull(i);
      } else if (const auto* whole = std::get_if<int64_t>(&cell)) {
        out.data<int64_t>()[i] = *whole;
      } else if (const auto* number = std::get_if<double>(&cell)) {
        out.data<double>()[i] = *number;
      } else if (const auto* truth = std::get_if<bool>(&cell)) {
        out.data<bool>()[i] = *truth;
      } else {
        out.CopyText(i, TextOf(of, cell));
      }
    }
  }

 private:
  const Owner owner_;
  const size_t first_;  // column of the table, behind `parent`
  std::vector<const TableColumn*> columns_;
  std::deque<std::string> names_;
  std::vector<ColumnSpec> specs_;
  std::vector<RowList> kept_;
  std::vector<std::pair<std::string, const void*>> rows_;
};

using Lists = std::vector<std::pair<std::string, RowList>>;  // by parent

Status AddTables(const std::string& name,
                 const std::vector<TableColumn>& columns, const Lists& lists,
                 bool inner, const Owner& owner, Database& db) {
  auto source = std::make_shared<SummarySource>(owner, columns, inner);
  for (const auto& [parent, rows] : lists) source->Add(parent, rows);
  for (const TableColumn& column : columns) {
    if (column.type != CellType::kRows) continue;
    Lists inside;
    for (const auto& [parent, rows] : lists)
      for (size_t i = 0; i < rows.size(); ++i)
        if (const Cell cell = column.cell(rows[i]); !IsNull(cell))
          inside.emplace_back(LabelOfRow(columns, rows[i], TextOf),
                              std::get<RowList>(cell));
    STEPSCOPE_TRY(AddTables(name + "_" + FlatName(column.name), column.columns,
                            inside, true, owner, db));
  }
  if (source->columns().size() == (inner ? 1 : 0)) return Ok();
  return db.AddTable(name, std::move(source), false);
}

}  // namespace

SummaryTables SummaryTables::All() {
  return {ViewSet::All(), (uint64_t{1} << ViewTables().size()) - 1};
}

SummaryTables SummaryTables::In(std::string_view sql) {
  std::string lower(sql);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  SummaryTables named;
  for (const TableSchema& table : AllTables())
    if (lower.find(NameOf(table)) != lower.npos) named.summary |= table.view;
  for (size_t i = 0; i < ViewTables().size(); ++i)
    if (lower.find(NameOf(ViewTables()[i])) != lower.npos)
      named.viewer |= uint64_t{1} << i;
  return named;
}

bool IsAskedByItself(const ViewTable& table) {
  return table.key != "memory_owners" && table.key != "memory_live";
}

namespace {

Status AddViewTables(const std::shared_ptr<const Trace>& trace, uint64_t chosen,
                     Database& db) {
  const EventTree tree(*trace);
  const StepTable steps(tree);
  for (size_t i = 0; i < ViewTables().size(); ++i) {
    const ViewTable& table = ViewTables()[i];
    if ((chosen >> i & 1) == 0 || !IsAskedByItself(table)) continue;
    STEPSCOPE_TRY(AddTables(NameOf(table), table.columns,
                            {{"", table.rows({tree, steps, {}}).rows}}, false,
                            trace, db));
  }
  return Ok();
}

}  // namespace

Status AddSummaryTables(std::shared_ptr<const Trace> trace,
                        const SummaryTables& tables, Database& db,
                        const StatedPeaks& peaks) {
  if (tables.viewer != 0)
    STEPSCOPE_TRY(AddViewTables(trace, tables.viewer, db));
  const ViewSet views = tables.summary;
  if (!views) return Ok();
  SummaryOptions options;
  options.views = views;
  options.flops = true;  // as the viewer has them
  options.device_peaks = peaks;
  const auto owner = std::make_shared<const Computed>(
      Computed{trace, ComputeSummary(*trace, options)});
  for (const TableSchema& table : AllTables())
    if (table.view & views)
      STEPSCOPE_TRY(AddTables(NameOf(table), table.columns,
                              {{"", table.rows(owner->summary)}}, false, owner,
                              db));
  return Ok();
}

}  // namespace stepscope
