// SPDX-License-Identifier: Apache-2.0
//
// A table of Arrow as JSON.
#pragma once

#include <cstdint>
#include <string>

#include "report/arrow_table.h"

namespace stepscope {

// Rows as a JSON list of objects, from `first` on, `count` at most.
std::string RowsAsJson(const ArrowTable& table, int64_t first, int64_t count);
// [{"name": ..., "type": ..., "unit": ..., "meaning": ...}]; "columns" of those
// that hold rows.
std::string ColumnsAsJson(const ArrowTable& table);

}  // namespace stepscope
