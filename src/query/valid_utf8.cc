// SPDX-License-Identifier: Apache-2.0
#include "query/valid_utf8.h"

#include "base/utf8.h"

namespace stepscope {

bool IsValidUtf8(std::string_view text) {
  for (size_t at = 0; at < text.size();)
    if (NextCodePoint(text, at) == kInvalidUtf8) return false;
  return true;
}

std::string ValidUtf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const size_t from = at;
    if (NextCodePoint(text, at) == kInvalidUtf8) {
      out += "\xef\xbf\xbd";
    } else {
      out += text.substr(from, at - from);
    }
  }
  return out;
}

}  // namespace stepscope
