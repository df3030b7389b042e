// SPDX-License-Identifier: Apache-2.0
//
// The files of src/query/sql: one per view and one per named query. They are
// written in the SQL that DuckDB and Spark share, and both run these very
// texts. Compiled in by tools/embed_sql.py.
#pragma once

#include <span>
#include <string_view>

namespace stepscope {

struct SqlFile {
  std::string_view name;  // of the file, without .sql
  std::string_view text;
};

// Each may use the tables of a dataset, none another view.
std::span<const SqlFile> ViewFiles();
std::span<const SqlFile> NamedQueryFiles();

}  // namespace stepscope
