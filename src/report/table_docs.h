// SPDX-License-Identifier: Apache-2.0
//
// The parts of the docs that declarations make: a list of the columns on the
// page of a table, between two marks.
#pragma once

#include <string>
#include <string_view>

#include "analysis/schema.h"

namespace stepscope {

inline constexpr std::string_view kColumnsBegin =
    "<!-- columns: made from the declaration, do not edit -->";
inline constexpr std::string_view kColumnsEnd = "<!-- end of columns -->";

// From one mark to the other, both included.
std::string ColumnSection(const TableSchema& table);

// `page` with its section as it should be; added at the end if it has none.
std::string WithColumnSection(std::string_view page, const TableSchema& table);

}  // namespace stepscope
