// SPDX-License-Identifier: Apache-2.0
//
// What the rows of `compare --format json` are, for who shows them as a table.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "analysis/schema.h"

namespace stepscope {

// `bytes`: of rows about memory; else about times. Names are the keys of JSON.
std::vector<TableColumn> CompareColumns(bool bytes);

inline int64_t Rounded(double value) { return std::llround(value); }

}  // namespace stepscope
