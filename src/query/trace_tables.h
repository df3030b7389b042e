// SPDX-License-Identifier: Apache-2.0
//
// The declarations of the tables, one function each; dataset_schema.cc lists
// them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "query/rank_data.h"
#include "query/rank_facts.h"
#include "query/table_columns.h"

namespace stepscope {

// Rows that a table needs beside the trace, or its trace alone.
using RankSource = std::shared_ptr<const TableSource>;
using RankDataPtr = std::shared_ptr<const RankData>;

struct TableOfTrace {
  const char* name;
  const char* meaning;
  std::span<const ColumnSpec> columns;
  RankSource (*source)(RankDataPtr data);
};

TableOfTrace DeclareEvents();
TableOfTrace DeclareTracks();
TableOfTrace DeclareArgs();
TableOfTrace DeclareFlows();
TableOfTrace DeclareCounters();
TableOfTrace DeclareMemory();
TableOfTrace DeclareSteps();
TableOfTrace DeclareCollectives();
TableOfTrace DeclareLedger();
const TableColumns<RankFactsList>& RanksColumns();

// NULL where there is none.
using Id = std::optional<int64_t>;
inline Id IdOf(Row row) {
  return row == kNoRow ? Id() : Id(static_cast<int64_t>(row));
}

// The column that every table begins with.
inline constexpr const char* kSourceIdMeaning =
    "which source: a number made of its bytes";
inline constexpr const char* kProcessMeaning =
    "process of that source, counted from 0; `ranks` says which";

}  // namespace stepscope
