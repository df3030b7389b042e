// SPDX-License-Identifier: Apache-2.0
//
// The tables of a dataset, each declared once; docs/formats/dataset.md is
// checked against this. A test holds every type to those of ColumnType.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "query/rank_data.h"
#include "query/rank_facts.h"
#include "query/table_source.h"

namespace stepscope {

// Grows when a column is added; what was there stays as it was.
inline constexpr int kDatasetVersion = 2;

struct TableSpec {
  const char* name;
  const char* meaning;
  std::vector<ColumnSpec> columns;
};

// All tables, in the order of the document.
const std::vector<TableSpec>& DatasetTables();

// The same as Markdown; docs/formats/dataset.md has this text.
std::string DescribeTables();

// The rows of one trace for each of these tables but `ranks`, in that order.
std::vector<std::shared_ptr<const TableSource>> SourcesOf(
    std::shared_ptr<const RankData> data);
std::shared_ptr<const TableSource> RanksSource(
    std::shared_ptr<const RankFactsList> ranks);

}  // namespace stepscope
