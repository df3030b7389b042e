// SPDX-License-Identifier: Apache-2.0
//
// SQL over a dataset or over traces, answered as a table of Arrow.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/result.h"
#include "read/request.h"
#include "report/arrow_table.h"
#include "trace/trace.h"

namespace stepscope {

struct QueryWatch {
  const CancelToken* cancel = nullptr;  // may be null
  // Bytes of traces that were read, and of all; 0, 0: DuckDB is at work.
  std::function<void(uint64_t done, uint64_t total)> progress;
  // Reads traces, for the tables of their summary.
  std::function<Result<std::shared_ptr<const Trace>>(
      const std::vector<std::string>& paths, const std::string& step_range)>
      load;
};

struct QueryAnswer {
  std::shared_ptr<const ArrowTable> rows;
  std::string warnings;  // a line each
};

// `paths`: one dataset, or files and folders of traces, which become a dataset
// for the time of the call. Options: "sql" or "named", then "param"
// ("NAME=VALUE", any number); "memory" ("4GB"). kInvalidArgument with DuckDB's
// message. REQUIRES: duckdb::LoadLibrary() has succeeded.
Result<QueryAnswer> AnswerQuery(const std::vector<std::string>& paths,
                                ReadRequest& request, const QueryWatch& watch);

}  // namespace stepscope
