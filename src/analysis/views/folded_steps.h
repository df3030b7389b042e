// SPDX-License-Identifier: Apache-2.0
//
// The events behind a row of the folded steps.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analysis/views/view_table.h"

namespace stepscope {

// All events of the row with this name, place and number; none: no such row.
std::vector<Row> RowsOfFolded(const ViewInput& input, std::string_view name,
                              std::string_view place, uint64_t number);

}  // namespace stepscope
