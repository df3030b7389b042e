// SPDX-License-Identifier: Apache-2.0
//
// ColumnsOf<Data>: a table declared once, by the name, type and meaning of
// each column and how its entry comes from row i of Data. The document, the
// Parquet files and SQL over a trace all come from the declaration.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "query/table_source.h"

namespace stepscope {

template <typename Data>
class TableColumns {
 public:
  using FillColumn = std::function<void(const Data&, uint64_t first,
                                        size_t count, VectorOut& out)>;

  // `get(data, row)` gives the entry; an optional that is empty is NULL.
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
  // A duckdb::Text that outlives the query.
  template <typename Get>
  void Text(const char* name, const char* meaning, Get get) {
    Add<duckdb::Text>(name, ColumnType::kText, meaning, get);
  }
  // A std::string or its like, which is copied.
  template <typename Get>
  void CopiedText(const char* name, const char* meaning, Get get) {
    constexpr bool kNull = IsOptional<decltype(get(std::declval<const Data&>(),
                                                   uint64_t{}))>::value;
    specs_.push_back({name, ColumnType::kText, meaning, kNull});
    fills_.push_back(
        [get](const Data& data, uint64_t first, size_t count, VectorOut& out) {
          for (size_t i = 0; i < count; ++i) {
            const auto value = get(data, first + i);
            if constexpr (kNull) {
              if (value)
                out.CopyText(i, *value);
              else
                out.SetNull(i);
            } else {
              out.CopyText(i, value);
            }
          }
        });
  }
  // For what is worth a loop of its own.
  void Custom(const char* name, ColumnType type, const char* meaning,
              bool may_be_null, FillColumn fill) {
    specs_.push_back({name, type, meaning, may_be_null});
    fills_.push_back(std::move(fill));
  }

  const std::vector<ColumnSpec>& specs() const { return specs_; }
  const FillColumn& fill(size_t column) const { return fills_[column]; }

 private:
  template <typename T>
  struct IsOptional : std::false_type {};
  template <typename T>
  struct IsOptional<std::optional<T>> : std::true_type {};

  template <typename T, typename Get>
  void Add(const char* name, ColumnType type, const char* meaning, Get get) {
    constexpr bool kNull = IsOptional<decltype(get(std::declval<const Data&>(),
                                                   uint64_t{}))>::value;
    specs_.push_back({name, type, meaning, kNull});
    fills_.push_back(
        [get](const Data& data, uint64_t first, size_t count, VectorOut& out) {
          T* const to = out.data<T>();
          for (size_t i = 0; i < count; ++i) {
            const auto value = get(data, first + i);
            if constexpr (kNull) {
              if (value) {
                to[i] = static_cast<T>(*value);
              } else {
                to[i] = T{};
                out.SetNull(i);
              }
            } else {
              to[i] = static_cast<T>(value);
            }
          }
        });
  }

  std::vector<ColumnSpec> specs_;
  std::vector<FillColumn> fills_;
};

// Rows of Data as a source.
template <typename Data>
class DataSource : public TableSource {
 public:
  // `columns` must outlive it.
  DataSource(const TableColumns<Data>& columns,
             std::shared_ptr<const Data> data, uint64_t rows)
      : columns_(columns), data_(std::move(data)), rows_(rows) {}

  std::span<const ColumnSpec> columns() const override {
    return columns_.specs();
  }
  uint64_t rows() const override { return rows_; }
  void Fill(size_t column, uint64_t first, size_t count,
            VectorOut& out) const override {
    columns_.fill(column)(*data_, first, count, out);
  }

 private:
  const TableColumns<Data>& columns_;
  const std::shared_ptr<const Data> data_;
  const uint64_t rows_;
};

}  // namespace stepscope
