// SPDX-License-Identifier: Apache-2.0
//
// TableWriter: rows of 64-bit values as Table blocks. Not thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "exporters/capture/block_writer.h"
#include "format/table.h"

namespace stepscope::capture {

// Appends one packed column. At least `least_width` bytes a row.
void PackColumn(std::string& out, const uint64_t* values, uint32_t rows,
                uint32_t least_width);

class TableWriter {
 public:
  explicit TableWriter(BlockWriter& blocks) : blocks_(blocks) {}

  // Writes `rows` rows. fill(row, put) calls put(value) once for each column;
  // text(row) is appended to the extra bytes.
  template <typename Fill, typename Text>
  void Write(format::Table table, uint64_t rows, Fill fill, Text text) {
    Start(table, rows);
    for (uint64_t row = 0; row < rows && !blocks_.failed(); ++row) {
      uint64_t* at = values_.data() + rows_;
      fill(row, [&at, stride = stride_](uint64_t value) {
        *at = value;
        at += stride;
      });
      extra_ += text(row);
      if (++rows_ == format::kTableRows || extra_.size() >= kExtraBytes)
        Flush(row + 1);
    }
    if (rows_ > 0) Flush(rows);
  }
  template <typename Fill>
  void Write(format::Table table, uint64_t rows, Fill fill) {
    Write(table, rows, fill, [](uint64_t) { return std::string_view(); });
  }

 private:
  // A longer text is in a block of its own.
  static constexpr size_t kExtraBytes = size_t{4} << 20;

  void Start(format::Table table, uint64_t rows);
  void Flush(uint64_t next_row);

  BlockWriter& blocks_;
  format::Table table_ = format::Table::kTrace;
  uint32_t columns_ = 0;
  uint32_t rows_ = 0;
  size_t stride_ = 0;             // values from column to column
  std::vector<uint64_t> values_;  // column after column
  std::string extra_;
  std::string payload_;
};

// A signed number as a column holds it.
inline uint64_t Wide(int64_t value) { return static_cast<uint64_t>(value); }

}  // namespace stepscope::capture
