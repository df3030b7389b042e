// SPDX-License-Identifier: Apache-2.0
//
// Patterns of names, as a shell has them: * is any text, ? any one character.
#pragma once

#include <cstddef>
#include <string_view>

namespace stepscope {

// Whether the whole text matches. Linear in practice, never worse than the
// product of the lengths.
inline bool MatchesGlob(std::string_view pattern, std::string_view text) {
  size_t p = 0;
  size_t t = 0;
  size_t star = std::string_view::npos;  // the last one met
  size_t from = 0;                       // what it is tried to end at
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      from = t;
    } else if (p < pattern.size() &&
               (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++from;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace stepscope
