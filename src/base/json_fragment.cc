// SPDX-License-Identifier: Apache-2.0
#include "base/json_fragment.h"

namespace stepscope {

size_t EndOfJsonString(std::string_view text, size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at)
    if (text[at] == '\\') ++at;
  return at + 1 < text.size() ? at + 1 : text.size();
}

size_t EndOfJsonValue(std::string_view text, size_t at) {
  int depth = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '"') {
      at = EndOfJsonString(text, at);
      continue;
    }
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    if (depth < 0 || (depth == 0 && c == ',')) return at;
    ++at;
  }
  return at;
}

bool JsonCursor::Take(char c) {
  SkipBlanks();
  if (at_ == text_.size() || text_[at_] != c) return false;
  ++at_;
  return true;
}

std::optional<std::string_view> JsonCursor::TakeString() {
  SkipBlanks();
  if (at_ == text_.size() || text_[at_] != '"') return std::nullopt;
  const size_t first = at_ + 1;
  for (size_t at = first; at < text_.size(); ++at) {
    if (text_[at] == '"') {
      at_ = at + 1;
      return text_.substr(first, at - first);
    }
    if (text_[at] == '\\') ++at;
  }
  return std::nullopt;
}

std::string_view JsonCursor::TakeScalar() {
  SkipBlanks();
  const size_t first = at_;
  while (at_ < text_.size() && !IsJsonBlank(text_[at_]) && text_[at_] != ',' &&
         text_[at_] != ']' && text_[at_] != '}')
    ++at_;
  return text_.substr(first, at_ - first);
}

}  // namespace stepscope
