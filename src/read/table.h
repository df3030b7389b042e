// SPDX-License-Identifier: Apache-2.0
//
// ReadTable: one table of a trace, computed once, as Arrow and as text.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "analysis/schema.h"
#include "analysis/summary.h"
#include "base/result.h"
#include "read/request.h"
#include "report/arrow_table.h"

namespace stepscope {

// Immutable; owns what it shows.
struct ReadTable {
  std::shared_ptr<const ArrowTable> arrow;
  const TableSchema* schema = nullptr;  // null: events, or rows of SQL
  std::shared_ptr<const Trace> trace;
  std::shared_ptr<const Summary> summary;  // refers to `trace`
};

// A declared table by its key, or "events".
Result<ReadTable> MakeTable(std::shared_ptr<const Trace> trace,
                            std::string_view key, ReadRequest& request);
// "text", "columns" or "rows".
Result<std::string> AskTable(const ReadTable& table, std::string_view question,
                             ReadRequest& request);

}  // namespace stepscope
