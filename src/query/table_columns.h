// SPDX-License-Identifier: Apache-2.0
//
// TableColumns<Rows>: a table declared once, by the name, type and meaning of
// each column and how its entry comes from a row. The document, the Parquet
// files and SQL over a trace all come from the declaration. Rows is a list:
// size() and operator[].
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/utf8.h"
#include "query/table_source.h"

namespace stepscope {

template <typename Rows>
class TableColumns {
 public:
  using FillColumn = std::function<void(const Rows&, uint64_t first,
                                        size_t count, VectorOut& out)>;

  // `get` is a member or a function of a row; an optional that is empty is
  // NULL.
  template <typename Get>
  void Bigint(const char* name, const char* meaning, Get get) {
    Add<int64_t>(name, ColumnType::kBigint, meaning, get);
  }
  template <typename Get>
  void Int(const char* name, const char* meaning, Get get) {
    Add<int32_t>(name, ColumnType::kInt, meaning, get);
  }
  template <typename Get>
  void Double(const char* name, const char* meaning, Get get) {
    Add<double>(name, ColumnType::kDouble, meaning, get);
  }
  template <typename Get>
  void Boolean(const char* name, const char* meaning, Get get) {
    Add<bool>(name, ColumnType::kBoolean, meaning, get);
  }
  // A duckdb::Text that outlives the query, or any text, which is copied.
  template <typename Get>
  void Text(const char* name, const char* meaning, Get get) {
    Add<duckdb::Text>(name, ColumnType::kText, meaning, get);
  }
  // For what is worth a loop of its own.
  void Custom(const char* name, ColumnType type, const char* meaning,
              FillColumn fill) {
    specs_.push_back({name, type, meaning, true});
    fills_.push_back(std::move(fill));
  }

  const std::vector<ColumnSpec>& specs() const { return specs_; }
  const FillColumn& fill(size_t column) const { return fills_[column]; }

 private:
  template <typename T>
  struct IsOptional : std::false_type {};
  template <typename T>
  struct IsOptional<std::optional<T>> : std::true_type {};

  template <typename T, typename Value>
  static void Put(const Value& value, size_t i, VectorOut& out) {
    if constexpr (std::same_as<T, duckdb::Text> && !std::same_as<Value, T>)
      out.CopyText(i, ValidUtf8(value));
    else
      out.data<T>()[i] = static_cast<T>(value);
  }

  template <typename T, typename Get>
  void Add(const char* name, ColumnType type, const char* meaning, Get get) {
    using At = decltype(std::declval<const Rows&>()[0]);
    constexpr bool kNull =
        IsOptional<std::remove_cvref_t<std::invoke_result_t<Get, At&>>>::value;
    specs_.push_back({name, type, meaning, kNull});
    fills_.push_back(
        [get](const Rows& rows, uint64_t first, size_t count, VectorOut& out) {
          for (size_t i = 0; i < count; ++i) {
            const auto& row = rows[first + i];
            const auto& value = std::invoke(get, row);
            if constexpr (!kNull) {
              Put<T>(value, i, out);
            } else if (value) {
              Put<T>(*value, i, out);
            } else {
              out.data<T>()[i] = T{};
              out.SetNull(i);
            }
          }
        });
  }

  std::vector<ColumnSpec> specs_;
  std::vector<FillColumn> fills_;
};

// Rows as a source.
template <typename Rows>
class RowsSource : public TableSource {
 public:
  // `columns` must outlive it.
  RowsSource(const TableColumns<Rows>& columns,
             std::shared_ptr<const Rows> rows)
      : columns_(columns), rows_(std::move(rows)) {}

  std::span<const ColumnSpec> columns() const override {
    return columns_.specs();
  }
  uint64_t rows() const override { return rows_->size(); }
  void Fill(size_t column, uint64_t first, size_t count,
            VectorOut& out) const override {
    columns_.fill(column)(*rows_, first, count, out);
  }

 private:
  const TableColumns<Rows>& columns_;
  const std::shared_ptr<const Rows> rows_;
};

}  // namespace stepscope
