// SPDX-License-Identifier: Apache-2.0
#include "query/named_query.h"

#include <algorithm>
#include <cctype>

namespace stepscope {
namespace {

constexpr std::string_view kComment = "-- ";
constexpr std::string_view kParam = "param ";

std::string_view TakeLine(std::string_view& text) {
  const size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

// "top = 20: how many"
QueryParameter ParseParameter(std::string_view text) {
  QueryParameter parameter;
  const size_t equals = text.find(" = ");
  const size_t colon = text.find(": ");
  if (equals == std::string_view::npos || colon == std::string_view::npos ||
      colon < equals)
    return parameter;
  parameter.name = text.substr(0, equals);
  parameter.fallback = text.substr(equals + 3, colon - equals - 3);
  parameter.meaning = text.substr(colon + 2);
  return parameter;
}

// Digits, at most one point among them, at most one sign before them.
bool IsPlainNumber(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  if (text.empty() || text.size() > 18 || text.ends_with('.') ||
      text.starts_with('.'))
    return false;
  return std::count(text.begin(), text.end(), '.') <= 1 &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) {
           return std::isdigit(c) != 0 || c == '.';
         });
}

std::string ListOf(const std::vector<QueryParameter>& parameters) {
  std::string list;
  for (const QueryParameter& parameter : parameters)
    list += (list.empty() ? "" : ", ") + parameter.name;
  return list.empty() ? "it has no parameters" : "it has " + list;
}

}  // namespace

NamedQuery ParseNamedQuery(const SqlFile& file) {
  NamedQuery query;
  query.name = file.name;
  std::string_view text = file.text;
  while (text.starts_with(kComment)) {
    std::string_view line = TakeLine(text).substr(kComment.size());
    if (line.starts_with(kParam)) {
      query.parameters.push_back(ParseParameter(line.substr(kParam.size())));
    } else {
      query.meaning += (query.meaning.empty() ? "" : " ") + std::string(line);
    }
  }
  query.sql = text;
  return query;
}

const std::vector<NamedQuery>& NamedQueries() {
  static const std::vector<NamedQuery> all = [] {
    std::vector<NamedQuery> queries;
    for (const SqlFile& file : NamedQueryFiles())
      queries.push_back(ParseNamedQuery(file));
    return queries;
  }();
  return all;
}

Result<const NamedQuery*> FindNamedQuery(std::string_view name) {
  std::string names;
  for (const NamedQuery& query : NamedQueries()) {
    if (query.name == name) return &query;
    names += (names.empty() ? "" : ", ") + query.name;
  }
  return Fail(
      ErrorCode::kInvalidArgument,
      "no query is named \"" + std::string(name) + "\"; there are " + names);
}

Result<std::string> FillParameters(
    const NamedQuery& query, const std::map<std::string, std::string>& values) {
  for (const auto& [name, value] : values) {
    const bool known =
        std::any_of(query.parameters.begin(), query.parameters.end(),
                    [&](const QueryParameter& p) { return p.name == name; });
    if (!known)
      return Fail(ErrorCode::kInvalidArgument,
                  query.name + ": no parameter is named \"" + name + "\"; " +
                      ListOf(query.parameters));
    if (!IsPlainNumber(value))
      return Fail(ErrorCode::kInvalidArgument,
                  query.name + ": " + name + " is \"" + value +
                      "\", expected a number such as 20 or 1.5");
  }
  std::string sql = query.sql;
  for (const QueryParameter& parameter : query.parameters) {
    const auto given = values.find(parameter.name);
    const std::string& value =
        given == values.end() ? parameter.fallback : given->second;
    const std::string mark = "${" + parameter.name + "}";
    for (size_t at = sql.find(mark); at != std::string::npos;
         at = sql.find(mark, at + value.size()))
      sql.replace(at, mark.size(), value);
  }
  return sql;
}

}  // namespace stepscope
