// SPDX-License-Identifier: Apache-2.0
#include "analysis/raw_member.h"

#include <cstddef>

namespace stepscope {
namespace {

bool IsBlank(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

// One past the string that begins at `at`.
size_t EndOfString(std::string_view text, size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return at + 1 < text.size() ? at + 1 : text.size();
}

// One past the value that begins at `at`, up to a comma of its level.
size_t EndOfValue(std::string_view text, size_t at) {
  int depth = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '"') {
      at = EndOfString(text, at);
      continue;
    }
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    if (depth < 0 || (depth == 0 && c == ',')) return at;
    ++at;
  }
  return at;
}

}  // namespace

std::string_view RawMember(std::string_view members, std::string_view key) {
  size_t at = 0;
  while (at < members.size()) {
    if (members[at] != '"') {
      ++at;
      continue;
    }
    const size_t name = at + 1;
    at = EndOfString(members, at);
    const bool found =
        at > name && members.substr(name, at - name - 1) == key;
    while (at < members.size() && (IsBlank(members[at]) || members[at] == ':'))
      ++at;
    const size_t first = at;
    at = EndOfValue(members, at);
    if (!found) continue;
    size_t last = at;
    while (last > first && IsBlank(members[last - 1])) --last;
    return members.substr(first, last - first);
  }
  return {};
}

}  // namespace stepscope
