// SPDX-License-Identifier: Apache-2.0
//
// NamedQuery: a file of SQL with what its head says:
//
//   -- Kernels that take the most device time.
//   -- param top = 20: how many
//   SELECT ... LIMIT ${top}
//
// Parameters are numbers, so that a value can never become SQL.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "query/sql_files.h"

namespace stepscope {

struct QueryParameter {
  std::string name;
  std::string fallback;
  std::string meaning;
};

struct NamedQuery {
  std::string name;
  std::string meaning;  // a sentence
  std::vector<QueryParameter> parameters;
  std::string sql;  // without the head
};

NamedQuery ParseNamedQuery(const SqlFile& file);
// All of them, by name.
const std::vector<NamedQuery>& NamedQueries();
// kInvalidArgument where there is none of that name; says what there is.
Result<const NamedQuery*> FindNamedQuery(std::string_view name);

// The SQL with its parameters filled in. kInvalidArgument for a parameter
// that the query does not have, or a value that is not a number.
Result<std::string> FillParameters(
    const NamedQuery& query, const std::map<std::string, std::string>& values);

}  // namespace stepscope
