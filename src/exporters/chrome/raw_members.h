// SPDX-License-Identifier: Apache-2.0
//
// The members of a JSON object, as text.
#pragma once

#include <string>
#include <string_view>

#include "base/json_check.h"
#include "base/json_fragment.h"

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
  ForEachJsonMember(members, [&](std::string_view key, std::string_view value) {
    take(key, value);
    return true;
  });
  return true;
}

}  // namespace stepscope::chrome
