// SPDX-License-Identifier: Apache-2.0
//
// The declarations of the tables, one function each; dataset_schema.cc lists
// them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "query/rank_data.h"
#include "query/rank_facts.h"
#include "query/table_columns.h"

namespace stepscope {

using RankSource = std::shared_ptr<const TableSource>;
using RankDataPtr = std::shared_ptr<const RankData>;

struct TableOfTrace {
  const char* name;
  const char* meaning;
  std::span<const ColumnSpec> columns;
  std::function<RankSource(RankDataPtr data)> source;
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
inline Id KnownIf(bool known, int64_t value) {
  return known ? Id(value) : Id();
}

// The column that every table begins with.
inline constexpr const char* kSourceIdMeaning =
    "which source: a number made of its bytes";
inline constexpr const char* kProcessMeaning =
    "process of that source, counted from 0; `ranks` says which";

// One of a list that a trace has.
template <typename Item>
struct ItemOfRank {
  const RankData& data;
  const Item& item;
  uint64_t number;

  const Item* operator->() const { return &item; }
};

// `kList(trace)`: the list.
template <auto kList>
class ItemsOfRank {
 public:
  explicit ItemsOfRank(RankDataPtr data)
      : data_(std::move(data)), list_(std::invoke(kList, *data_)) {}

  size_t size() const { return list_.size(); }
  auto operator[](uint64_t i) const {
    return ItemOfRank<typename decltype(list_)::value_type>{*data_, list_[i],
                                                            i};
  }

 private:
  RankDataPtr data_;
  std::span<const typename std::remove_cvref_t<
      std::invoke_result_t<decltype(kList), const RankData&>>::value_type>
      list_;
};

// A table of Rows, made of a RankDataPtr; its rows have `data`, the RankData.
template <typename Rows>
TableOfTrace DeclareTable(const char* name, const char* meaning,
                          void (*add)(TableColumns<Rows>& columns)) {
  auto* const columns = new TableColumns<Rows>;  // as long as the program
  columns->Bigint("source_id", kSourceIdMeaning,
                  [](const auto& row) { return row.data.source_id(); });
  add(*columns);
  return {name, meaning, columns->specs(),
          [columns](RankDataPtr data) -> RankSource {
            return std::make_shared<RowsSource<Rows>>(
                *columns, std::make_shared<const Rows>(std::move(data)));
          }};
}

}  // namespace stepscope
