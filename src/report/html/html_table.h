// SPDX-License-Identifier: Apache-2.0
//
// Any declared table as a table of a page.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/schema.h"
#include "analysis/summary.h"
#include "report/html/redactor.h"

namespace stepscope::html {

struct TableStyle {
  size_t top = 0;      // rows of a table; 0: all
  bool nested = true;  // rows inside rows, as tables of their own
  // Columns to leave out, by name.
  std::vector<std::string_view> without = {};
};

// A card with the table, its question, and how many rows were left out; empty
// where it has no rows. Cells hold their exact value for the script that sorts.
std::string TableCard(const TableSchema& table, const Summary& summary,
                      std::string_view title, const TableStyle& style,
                      const Redactor& redactor);

}  // namespace stepscope::html
