// SPDX-License-Identifier: Apache-2.0
//
// A TableSource as a table function of DuckDB: `SELECT ... FROM name()`. Only
// the columns that a query names are filled.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "query/duckdb_abi.h"
#include "query/table_source.h"

namespace stepscope {

// `parallel`: several threads take rows as they come; else they are in order.
Status RegisterTableFunction(const duckdb::Api& api,
                             duckdb::ConnectionHandle* connection,
                             const std::string& name,
                             std::shared_ptr<const TableSource> source,
                             bool parallel);

}  // namespace stepscope
