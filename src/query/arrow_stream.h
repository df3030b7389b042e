// SPDX-License-Identifier: Apache-2.0
//
// ArrowStream: the rows of a query as a stream of Arrow's IPC format, batch by
// batch, so that memory does not grow with their number:
//
//   BOOLEAN                      bool
//   integers of up to 32 bits    int32
//   UINTEGER, BIGINT             int64
//   UBIGINT                      uint64
//   HUGEINT, UHUGEINT            decimal128(38, 0), which sums of BIGINT are
//   FLOAT, DOUBLE                double
//   VARCHAR                      utf8
//
// https://arrow.apache.org/docs/format/Columnar.html#ipc-streaming-format
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "query/database.h"

namespace stepscope {

class ArrowStream {
 public:
  // REQUIRES: `rows` lives as long.
  explicit ArrowStream(const QueryResult& rows);

  // What a stream begins with: names and types.
  std::string Head() const;
  // Takes a row of the current chunk. kInvalidArgument: a number has more than
  // 38 digits.
  Status Add(size_t row);
  // Whether a batch should be taken now.
  bool full() const;
  // The rows since the last batch; empty if there are none.
  std::string TakeBatch();
  static std::string Tail();

 private:
  struct Column {
    std::string valid;  // a bit per row
    std::string values;
    std::vector<int32_t> ends;  // of texts, with 0 before the first
    int64_t nulls = 0;
  };

  Status AddCell(size_t column, size_t row, bool null);

  const QueryResult& rows_;
  std::vector<Column> columns_;
  size_t count_ = 0;  // of rows in the batch
  size_t bytes_ = 0;  // of texts in the batch
};

}  // namespace stepscope
