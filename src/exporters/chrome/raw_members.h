// SPDX-License-Identifier: Apache-2.0
//
// The members of a JSON object, as text.
#pragma once

#include <string>
#include <string_view>

#include "exporters/chrome/json_check.h"

namespace stepscope::chrome {

// Calls take(key, value) for each member of `members`, an object's text
// without its braces; the key is what stands between the quotes. False, and
// nothing is called, where that is not valid JSON.
template <typename Take>
bool ForEachMember(std::string_view members, Take take) {
  std::string object(1, '{');
  object += members;
  object += '}';
  if (CheckJson(object) != JsonKind::kObject) return false;
  // Valid, so that only strings and brackets have to be followed.
  const auto skip_string = [&](size_t at) {
    for (++at; members[at] != '"'; ++at)
      if (members[at] == '\\') ++at;
    return at + 1;
  };
  const auto is_blank = [](char c) {
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
  };
  for (size_t at = 0; at < members.size();) {
    if (members[at] != '"') {
      ++at;  // blanks and commas
      continue;
    }
    const size_t key_end = skip_string(at);
    const std::string_view key = members.substr(at + 1, key_end - at - 2);
    size_t value = members.find(':', key_end) + 1;
    while (is_blank(members[value])) ++value;
    size_t depth = 0;
    size_t end = value;
    while (end < members.size() && (depth > 0 || members[end] != ',')) {
      const char c = members[end];
      if (c == '"') {
        end = skip_string(end);
        continue;
      }
      if (c == '{' || c == '[') ++depth;
      if (c == '}' || c == ']') --depth;
      ++end;
    }
    size_t last = end;
    while (is_blank(members[last - 1])) --last;
    take(key, members.substr(value, last - value));
    at = end;
  }
  return true;
}

}  // namespace stepscope::chrome
