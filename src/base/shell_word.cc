// SPDX-License-Identifier: Apache-2.0
#include "base/shell_word.h"

#include <algorithm>

namespace stepscope {

std::string ShellWord(std::string_view text) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') ||
           std::string_view("_-./:=+,@%#").find(c) != std::string_view::npos;
  };
  if (!text.empty() && text[0] != '#' &&
      std::all_of(text.begin(), text.end(), plain)) {
    return std::string(text);
  }
  std::string word = "'";
  for (const char c : text) {
    if (c == '\'') {
      word += "'\\''";
    } else {
      word += c;
    }
  }
  return word + "'";
}

}  // namespace stepscope
