// SPDX-License-Identifier: Apache-2.0
//
// TableBlock: one Table block of a capture, taken apart. Trusts nothing: a
// block whose parts do not fit is refused as a whole.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "format/table.h"

namespace stepscope::capture {

class TableBlock {
 public:
  // Refers to `payload`. Nothing: not a table of this version.
  static std::optional<TableBlock> Parse(std::span<const uint8_t> payload);

  format::Table table() const { return table_; }
  uint32_t rows() const { return rows_; }
  uint64_t first_row() const { return first_row_; }
  std::string_view extra() const { return extra_; }

  // Whether all values of a column are the same, or zero, as far as its header
  // tells.
  bool IsConstant(uint32_t column) const {
    return columns_[column].header.width == 0;
  }
  bool IsZero(uint32_t column) const {
    return IsConstant(column) && columns_[column].header.base == 0;
  }
  // The values of a column one stretch after the other, so that a reader can
  // look at them while they are in the cache. Refers to the block.
  class Values {
   public:
    Values(const TableBlock& block, uint32_t column);
    // The next `rows`, cut to T. REQUIRES: there are so many.
    template <typename T>
    void Next(uint32_t rows, T* out);

   private:
    template <typename Stored, typename T>
    void NextAs(uint32_t rows, T* out);

    format::ColumnHeader header_;
    const uint8_t* data_;
    uint64_t value_;  // kDelta: the one before
  };
  // All values of a column. `out` has room for rows().
  template <typename T>
  void Decode(uint32_t column, T* out) const {
    Values(*this, column).Next(rows_, out);
  }
  void Decode(uint32_t column, std::vector<uint64_t>& out) const {
    out.resize(rows_);
    Decode(column, out.data());
  }

 private:
  struct Column {
    format::ColumnHeader header;
    const uint8_t* data;
  };

  format::Table table_ = format::Table::kTrace;
  uint32_t rows_ = 0;
  uint64_t first_row_ = 0;
  std::vector<Column> columns_;
  std::string_view extra_;
};

}  // namespace stepscope::capture
