// SPDX-License-Identifier: Apache-2.0
//
// Reads small pieces of JSON where they lie: a value of an event's arguments,
// the members of an object. The one place that knows where a JSON string or
// value ends; whole files are read by importers/json. Tolerates what is not
// JSON: nothing is read beyond the text, and json_check.h says if it is valid.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace stepscope {

inline bool IsJsonBlank(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

// One past the string whose opening quote is at `at`; the size of the text if
// it has no end.
size_t EndOfJsonString(std::string_view text, size_t at);

// One past the value that begins at `at`: up to a comma of its level, or a
// bracket that closes what is around it. Blanks behind it belong to it.
size_t EndOfJsonValue(std::string_view text, size_t at);

// Takes a value apart, token by token.
class JsonCursor {
 public:
  explicit JsonCursor(std::string_view text) : text_(text) {}

  bool at_end() {
    SkipBlanks();
    return at_ == text_.size();
  }
  // Takes `c` if it comes next.
  bool Take(char c);
  // What stands between the quotes of the string that comes next, escapes as
  // they are written. Nothing if there is none, or it has no end.
  std::optional<std::string_view> TakeString();
  // A number, true, false or null; empty if something else comes next.
  std::string_view TakeScalar();

 private:
  void SkipBlanks() {
    while (at_ < text_.size() && IsJsonBlank(text_[at_])) ++at_;
  }

  std::string_view text_;
  size_t at_ = 0;
};

// Calls take(key, value) for each member of an object's text without braces,
// until it returns false. The key is what stands between the quotes, the value
// the text of it without blanks around.
template <typename Take>
void ForEachJsonMember(std::string_view members, Take take) {
  for (size_t at = 0; at < members.size();) {
    if (members[at] != '"') {
      ++at;  // blanks and commas
      continue;
    }
    const size_t key = at + 1;
    at = EndOfJsonString(members, at);
    const std::string_view name =
        members.substr(key, at > key ? at - key - 1 : 0);
    while (at < members.size() &&
           (IsJsonBlank(members[at]) || members[at] == ':'))
      ++at;
    const size_t first = at;
    at = EndOfJsonValue(members, at);
    size_t last = at;
    while (last > first && IsJsonBlank(members[last - 1])) --last;
    if (!take(name, members.substr(first, last - first))) return;
  }
}

// Calls take(item) for each item of a list's text, brackets and all: the text
// of it without blanks around. Nothing where the text is not a list.
template <typename Take>
void ForEachJsonItem(std::string_view list, Take take) {
  if (list.empty() || list.front() != '[') return;
  for (size_t at = 1; at < list.size() && list[at] != ']';) {
    if (list[at] == ',' || IsJsonBlank(list[at])) {
      ++at;
      continue;
    }
    const size_t first = at;
    at = EndOfJsonValue(list, at);
    size_t last = at;
    while (last > first && IsJsonBlank(list[last - 1])) --last;
    if (last == first) return;  // a bracket that closes nothing
    take(list.substr(first, last - first));
  }
}

}  // namespace stepscope
