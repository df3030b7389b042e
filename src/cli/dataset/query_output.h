// SPDX-License-Identifier: Apache-2.0
//
// Rows of a query on their way out: as a table for people, CSV, JSON or a
// stream of Arrow. They
// are written as they come, so that memory does not grow with their number; a
// table has to see its rows first and takes the first ones only.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "exporters/sink.h"
#include "query/database.h"

namespace stepscope {

enum class RowFormat { kTable, kCsv, kJson, kArrow };

struct RowStyle {
  RowFormat format = RowFormat::kTable;
  uint64_t limit = 0;  // rows to write; 0: all
  size_t width = 0;    // of the terminal; 0: any. Of a table only
};
Status WriteRows(QueryResult& rows, const RowStyle& style, Sink& sink);

}  // namespace stepscope
