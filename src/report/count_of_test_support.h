// SPDX-License-Identifier: Apache-2.0
//
// For tests: how often a text holds another.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace stepscope {

inline size_t CountOf(const std::string& text, std::string_view part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != text.npos;
       at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

}  // namespace stepscope
