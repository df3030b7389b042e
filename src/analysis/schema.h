// SPDX-License-Identifier: Apache-2.0
//
// What a result table declares: its names, its columns and how to read them.
// Every format that report/ prints, the table's page in the docs and the
// spelling of options come from these declarations.
//
// A table is one file in tables/ with a function Declare<Name>Table(), and one
// line in tables/all_tables.cc.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "analysis/column_title.h"
#include "analysis/view_set.h"

namespace stepscope {

struct Summary;

// TypeText (report/table_json.h) names them in this order.
enum class CellType : uint8_t {
  kTime,    // how long: integer nanoseconds
  kMoment,  // when: the same, on the clock of the trace; see moments.h
  kCount,   // a whole number
  kBytes,   // a whole number
  kRatio,   // 0..1
  kNumber,  // any other number; the column says its unit
  kText,
  kBool,
  kList,  // values of one kind
  kRows,  // rows inside a row
};

constexpr bool IsInNanoseconds(CellType type) {
  return type == CellType::kTime || type == CellType::kMoment;
}

// How the value of a row came about from single events.
enum class Adds : uint8_t {
  kNothing,  // it did not: a name, a maximum, a share
  kSum,      // what happens twice at once counts twice
  kUnion,    // what happens twice at once counts once
};

// Rows of one type, seen without it. Refers to them or owns them; copies share.
class RowList {
 public:
  RowList() = default;
  // `rows` must outlive this.
  template <typename Row>
  static RowList Of(const std::vector<Row>& rows) {
    return RowList(nullptr, rows.data(), sizeof(Row), rows.size());
  }
  // `row` must outlive this.
  template <typename Row>
  static RowList One(const Row& row) {
    return RowList(nullptr, &row, sizeof(Row), 1);
  }
  template <typename Row>
  static RowList Own(std::vector<Row> rows) {
    auto owner = std::make_shared<const std::vector<Row>>(std::move(rows));
    const Row* const first = owner->data();
    const size_t count = owner->size();
    return RowList(std::move(owner), first, sizeof(Row), count);
  }

  size_t size() const { return count_; }
  const void* operator[](size_t i) const {
    return static_cast<const std::byte*>(first_) + i * stride_;
  }
  // The first `count` of them; 0: all.
  RowList Top(size_t count) const {
    RowList top = *this;
    if (count != 0) top.count_ = std::min(count, count_);
    return top;
  }

 private:
  RowList(std::shared_ptr<const void> owner, const void* first, size_t stride,
          size_t count)
      : owner_(std::move(owner)),
        first_(first),
        stride_(stride),
        count_(count) {}

  std::shared_ptr<const void> owner_;
  const void* first_ = nullptr;
  size_t stride_ = 0;
  size_t count_ = 0;
};

// Nothing where a row has no value. Text and rows live as long as the row.
using Cell = std::variant<std::monostate, int64_t, double, bool,
                          std::string_view, RowList>;

inline bool IsNull(const Cell& cell) {
  return std::holds_alternative<std::monostate>(cell);
}

template <typename Value>
Cell ToCell(const Value& value) {
  if constexpr (std::same_as<Value, bool> || std::same_as<Value, RowList>) {
    return value;
  } else if constexpr (std::unsigned_integral<Value>) {
    constexpr uint64_t kMost = std::numeric_limits<int64_t>::max();
    return static_cast<int64_t>(std::min<uint64_t>(value, kMost));
  } else if constexpr (std::signed_integral<Value>) {
    return int64_t{value};
  } else if constexpr (std::floating_point<Value>) {
    return double{value};
  } else if constexpr (std::convertible_to<Value, std::string_view>) {
    return std::string_view(value);
  } else {  // std::optional
    return value ? ToCell(*value) : Cell();
  }
}

struct TableColumn {
  // "cpu.total_ns": nested so in JSON; other formats write cpu_total_ns.
  std::string name;
  // "CPU total": what people read above it. No two of a table are the same.
  std::string title;
  CellType type = CellType::kText;
  Adds adds = Adds::kNothing;
  std::string meaning;  // one line
  std::function<Cell(const void* row)> cell;
  std::string_view unit;  // of kNumber
  // The key is absent from JSON where there is no value.
  bool absent_if_null = false;
  // CSV has no such column where no row of the table has a value.
  bool only_if_any = false;
  // With the first column, it says which row it is: several share the latter.
  bool tells_apart = false;
  // Of kRows: the columns of the rows inside. Of kList: one, without a name.
  std::vector<TableColumn> columns;
};

// By what rows inside a row say where they are: its first cell, and those that
// tell it apart. `text_of`: of a column and a cell.
template <typename TextOf>
std::string LabelOfRow(const std::vector<TableColumn>& columns, const void* row,
                       TextOf text_of) {
  std::string label;
  bool first = true;
  for (const TableColumn& column : columns) {
    if (column.type == CellType::kRows || (!first && !column.tells_apart))
      continue;
    const Cell cell = column.cell(row);
    if (first || !IsNull(cell))
      label += (first ? "" : ", ") + text_of(column, cell);
    first = false;
  }
  return label;
}

// An empty text is an empty cell.
inline std::optional<std::string_view> TextOrNone(std::string_view text) {
  if (text.empty()) return std::nullopt;
  return text;
}

// Columns of rows of type Row; each call adds one. `get` is a member or a
// function of a row; an empty optional is an empty cell. REQUIRES: text that it
// returns lives as long as the row.
template <typename Row>
class ColumnsOf {
 public:
  template <typename Get>
  ColumnsOf& Time(std::string name, Adds adds, std::string meaning, Get get) {
    return Add(std::move(name), CellType::kTime, adds, std::move(meaning), get);
  }
  template <typename Get>
  ColumnsOf& Time(std::string name, std::string meaning, Get get) {
    return Time(std::move(name), Adds::kNothing, std::move(meaning), get);
  }
  template <typename Get>
  ColumnsOf& Moment(std::string name, std::string meaning, Get get) {
    return Add(std::move(name), CellType::kMoment, Adds::kNothing,
               std::move(meaning), get);
  }
  template <typename Get>
  ColumnsOf& Count(std::string name, std::string meaning, Get get) {
    return Add(std::move(name), CellType::kCount, Adds::kNothing,
               std::move(meaning), get);
  }
  template <typename Get>
  ColumnsOf& Bytes(std::string name, Adds adds, std::string meaning, Get get) {
    return Add(std::move(name), CellType::kBytes, adds, std::move(meaning),
               get);
  }
  template <typename Get>
  ColumnsOf& Ratio(std::string name, std::string meaning, Get get) {
    return Add(std::move(name), CellType::kRatio, Adds::kNothing,
               std::move(meaning), get);
  }
  template <typename Get>
  ColumnsOf& Number(std::string name, std::string_view unit,
                    std::string meaning, Get get) {
    Add(std::move(name), CellType::kNumber, Adds::kNothing, std::move(meaning),
        get);
    columns_.back().unit = unit;
    return *this;
  }
  template <typename Get>
  ColumnsOf& Text(std::string name, std::string meaning, Get get) {
    return Add(std::move(name), CellType::kText, Adds::kNothing,
               std::move(meaning), get);
  }
  template <typename Get>
  ColumnsOf& Bool(std::string name, std::string meaning, Get get) {
    return Add(std::move(name), CellType::kBool, Adds::kNothing,
               std::move(meaning), get);
  }
  // `get` gives a RowList, of what `inner` has columns for.
  template <typename Inner, typename Get>
  ColumnsOf& Nested(std::string name, std::string meaning,
                    ColumnsOf<Inner> inner, Get get) {
    Add(std::move(name), CellType::kRows, Adds::kNothing, std::move(meaning),
        get);
    columns_.back().columns = inner.Take();
    return *this;
  }
  // `get` gives a RowList of values of type Value.
  template <typename Value, typename Get>
  ColumnsOf& List(std::string name, CellType of, std::string meaning, Get get) {
    Add(std::move(name), CellType::kList, Adds::kNothing, std::move(meaning),
        get);
    TableColumn value;
    value.type = of;
    value.cell = [](const void* row) {
      return ToCell(*static_cast<const Value*>(row));
    };
    columns_.back().columns.push_back(std::move(value));
    return *this;
  }
  // Of the column that was added last.
  ColumnsOf& AbsentIfNull() {
    columns_.back().absent_if_null = true;
    return *this;
  }

  // Of the column that was added last: few traces can have it, so JSON and CSV
  // of others are as if there were none.
  ColumnsOf& OnlyIfAny() {
    columns_.back().only_if_any = true;
    return AbsentIfNull();
  }
  // With the first column, the one that was added last says which row it is.
  ColumnsOf& TellsApart() {
    columns_.back().tells_apart = true;
    return *this;
  }

  // A better title than its name gives, of the column that was added last.
  ColumnsOf& As(std::string title) {
    columns_.back().title = std::move(title);
    return *this;
  }

  std::vector<TableColumn> Take() { return std::move(columns_); }

 private:
  template <typename Get>
  ColumnsOf& Add(std::string name, CellType type, Adds adds,
                 std::string meaning, Get get) {
    using Value = std::invoke_result_t<Get, const Row&>;
    static_assert(!std::same_as<Value, std::string>,
                  "text must live as long as the row");
    TableColumn column;
    column.title = TitleOfColumn(name);
    column.name = std::move(name);
    column.type = type;
    column.adds = adds;
    column.meaning = std::move(meaning);
    column.cell = [get](const void* row) {
      return ToCell(std::invoke(get, *static_cast<const Row*>(row)));
    };
    columns_.push_back(std::move(column));
    return *this;
  }

  std::vector<TableColumn> columns_;
};

enum class TableShape : uint8_t {
  kRows,    // JSON: a list
  kOne,     // one row or none. JSON: an object or null
  kGroups,  // one row of lists. JSON: an object that is always there
};

struct TableSchema {
  std::string_view key = {};          // as a view, in JSON, in CSV, of its page
  std::string_view paddle_name = {};  // of the view; empty: Paddle has none
  std::string_view title = {};        // "Memory Manipulation"
  std::string_view meaning = {};      // the question that it answers
  // Its own in SummaryOptions::views. None, and no json_views: all_tables.cc
  // gives it one.
  ViewSet view = {};
  // Views of which any fills the table in JSON; none: no key of its own.
  ViewSet json_views = {};
  TableShape shape = TableShape::kRows;
  bool ranked = false;  // rows stand by weight, so that the first may do
  std::vector<TableColumn> columns = {};
  std::function<RowList(const Summary&)> rows = {};
  // Whether to say that nothing was recorded for it; none: never.
  std::function<bool(const Summary&)> nothing = {};
};

}  // namespace stepscope
