// SPDX-License-Identifier: Apache-2.0
//
// The rows of a table that are shown, and how many are not.
#pragma once

#include "analysis/schema.h"
#include "analysis/summary.h"
#include "report/text_style.h"

namespace stepscope {

struct ShownRows {
  RowList rows;
  size_t left_out = 0;
};

// `top`: TextStyle::top; tables that are not ranked are shown whole.
inline ShownRows RowsToShow(const TableSchema& table, const Summary& summary,
                            size_t top) {
  const RowList all = table.rows(summary);
  const RowList shown = table.ranked ? all.Top(top) : all;
  return {shown, all.size() - shown.size()};
}

}  // namespace stepscope
