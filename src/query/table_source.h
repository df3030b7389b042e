// SPDX-License-Identifier: Apache-2.0
//
// TableSource: rows of ours as DuckDB reads them, column by column, a few
// thousand rows at a time. SQL over a Trace and the Parquet files of a dataset
// are made of the same sources, so that they hold the same rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "query/duckdb_abi.h"

namespace stepscope {

// The types that DuckDB, Spark, pandas and polars read alike.
enum class ColumnType : uint8_t { kBigint, kInt, kDouble, kBoolean, kText };

// "BIGINT", ...
const char* SqlTypeName(ColumnType type);
duckdb::TypeId TypeIdOf(ColumnType type);

struct ColumnSpec {
  const char* name;
  ColumnType type;
  const char* meaning;
  bool may_be_null = false;
};

// A vector of DuckDB that is being filled, from its entry 0 on.
class VectorOut {
 public:
  VectorOut(const duckdb::Api& api, duckdb::VectorHandle* vector)
      : api_(api), vector_(vector), data_(api.vector_get_data(vector)) {}

  // int64_t, int32_t, double, bool or duckdb::Text, by the column's type.
  template <typename T>
  T* data() const {
    return static_cast<T*>(data_);
  }
  // Of a column of texts, where the text does not outlive the call.
  void CopyText(size_t i, std::string_view text) {
    api_.vector_assign_string_element_len(vector_, i, text.data(), text.size());
  }
  void SetNull(size_t i) {
    if (valid_ == nullptr) {
      api_.vector_ensure_validity_writable(vector_);
      valid_ = api_.vector_get_validity(vector_);
    }
    valid_[i / 64] &= ~(uint64_t{1} << (i % 64));
  }

 private:
  const duckdb::Api& api_;
  duckdb::VectorHandle* vector_;
  void* data_;
  uint64_t* valid_ = nullptr;  // bits; null: all are valid
};

class TableSource {
 public:
  virtual ~TableSource() = default;

  virtual std::span<const ColumnSpec> columns() const = 0;
  virtual uint64_t rows() const = 0;
  // Entries of one column, of the rows [first, first + count). Called from
  // several threads at once. Texts must stay where they are as long as the
  // source lives.
  virtual void Fill(size_t column, uint64_t first, size_t count,
                    VectorOut& out) const = 0;
};

}  // namespace stepscope
