// SPDX-License-Identifier: Apache-2.0
//
// Any table as grids of cells for people: its rows, then, for each column of
// rows inside a row, those of all rows. A table of one row stands upright.
// Columns that are empty in every row are left out.
#pragma once

#include <string>
#include <vector>

#include "analysis/schema.h"
#include "analysis/summary.h"
#include "report/cells.h"
#include "report/grid.h"

namespace stepscope {

std::vector<Grid> TableGrids(const TableSchema& table, const Summary& summary,
                             const TableOptions& options, const Cells& cells);

// The column's title and, where cells have none, its unit: "CPU total (ms)",
// "CPU share (%)", "Name".
std::string ColumnHead(const TableColumn& column, TimeUnit unit);

}  // namespace stepscope
