// SPDX-License-Identifier: Apache-2.0
//
// The rows of a query as columns of Arrow:
//
//   BOOLEAN                          bool
//   integers of up to 32 bits        int32
//   UINTEGER, BIGINT                 int64
//   UBIGINT, HUGEINT, UHUGEINT       int64 where every value fits, else
//                                    decimal128(38, 0)
//   FLOAT, DOUBLE                    double
//   VARCHAR                          utf8; large_utf8 from 2 GiB on
#pragma once

#include <memory>

#include "base/result.h"
#include "query/database.h"
#include "report/arrow_table.h"

namespace stepscope {

// All rows that are left in `rows`, copied. kInvalidArgument: a number has
// more than 38 digits.
Result<std::shared_ptr<const ArrowTable>> TakeRows(QueryResult& rows);

}  // namespace stepscope
