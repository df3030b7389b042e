// SPDX-License-Identifier: Apache-2.0
//
// All tables, in the order of the JSON output, and the names of views and sort
// keys, which are theirs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "analysis/schema.h"
#include "analysis/tables/rows.h"

namespace stepscope {

std::span<const TableSchema> AllTables();
// Null if there is none of that key.
const TableSchema* FindTable(std::string_view key);

// What a user may write for a view: a table, or several of them.
struct ViewName {
  std::string_view name;     // "operator"
  std::string_view paddle;   // "OperatorView"; empty: Paddle has none
  std::string_view meaning;  // one line
  ViewSet views;
};
// Every table, then "paddle" and "all".
std::span<const ViewName> ViewNames();
// Takes either name, in any case, with or without separators.
std::optional<ViewSet> ParseView(std::string_view text);

struct SortKeyName {
  std::string_view name;    // "CPUTotal", as Paddle has it
  std::string_view column;  // "cpu.total_ns", of the Operator table
  SortKey key = SortKey::kCpuTotal;
};
std::span<const SortKeyName> SortKeyNames();
// Takes the name or the column, in any case; "cpu_total" too.
std::optional<SortKey> ParseSortKey(std::string_view text);

// Lower case without separators, so that CPUTotal and cpu_total are one.
std::string CanonicalName(std::string_view text);

}  // namespace stepscope
