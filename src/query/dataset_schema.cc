// SPDX-License-Identifier: Apache-2.0
#include "query/dataset_schema.h"

#include <utility>

#include "query/trace_tables.h"

namespace stepscope {
namespace {

const std::vector<TableOfTrace>& TablesOfTrace() {
  static const auto* const tables = new std::vector<TableOfTrace>{
      DeclareEvents(), DeclareTracks(),      DeclareArgs(),
      DeclareFlows(),  DeclareCounters(),    DeclareMemory(),
      DeclareSteps(),  DeclareCollectives(), DeclareLedger()};
  return *tables;
}

}  // namespace

const std::vector<TableSpec>& DatasetTables() {
  static const auto* const tables = [] {
    auto* const made = new std::vector<TableSpec>;
    for (const TableOfTrace& table : TablesOfTrace())
      made->push_back({table.name,
                       table.meaning,
                       {table.columns.begin(), table.columns.end()}});
    made->push_back({"ranks", "every process of every source, and its clock",
                     RanksColumns().specs()});
    return made;
  }();
  return *tables;
}

std::string DescribeTables() {
  std::string text;
  for (const TableSpec& table : DatasetTables()) {
    text += "### " + std::string(table.name) + "\n\n";
    text += std::string(table.meaning) + ".\n\n";
    text += "| column | type | meaning |\n|---|---|---|\n";
    for (const ColumnSpec& column : table.columns)
      text += "| `" + std::string(column.name) + "` | " +
              SqlTypeName(column.type) +
              (column.may_be_null ? " or NULL" : "") + " | " + column.meaning +
              " |\n";
    text += "\n";
  }
  return text;
}

std::vector<std::shared_ptr<const TableSource>> SourcesOf(
    std::shared_ptr<const RankData> data) {
  std::vector<std::shared_ptr<const TableSource>> sources;
  for (const TableOfTrace& table : TablesOfTrace())
    sources.push_back(table.source(data));
  return sources;
}

std::shared_ptr<const TableSource> RanksSource(
    std::shared_ptr<const RankFactsList> ranks) {
  return std::make_shared<RowsSource<RankFactsList>>(RanksColumns(),
                                                     std::move(ranks));
}

}  // namespace stepscope
