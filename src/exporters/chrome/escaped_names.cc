// SPDX-License-Identifier: Apache-2.0
#include "exporters/chrome/escaped_names.h"

#include <algorithm>
#include <string>

#include "exporters/chrome/digits.h"
#include "exporters/chrome/json_text.h"

namespace stepscope::chrome {
namespace {

constexpr std::string_view kStart = R"({"name":")";
constexpr std::string_view kEmptyName = "(empty name)";

}  // namespace

EscapedNames::Fragment EscapedNames::Text(StringId id) {
  Fragment fragment = Get(id, entries_);
  fragment.data += kStart.size();
  fragment.size -= kStart.size();
  return fragment;
}

void EscapedNames::Make(StringId id, Entry& entry, bool one_line) {
  if (!arena_.empty()) arena_.resize(arena_.size() - kPutSlack);
  entry.offset = arena_.size();
  arena_ += kStart;
  std::string_view text = strings_.view(id);
  std::string shown;
  bool altered = false;
  if (one_line && (text.empty() || text.find('\n') != text.npos)) {
    shown = text.empty() ? kEmptyName : text;
    std::replace(shown.begin(), shown.end(), '\n', ' ');
    text = shown;
    altered = true;
  }
  entry.valid = AppendJsonEscaped(arena_, text) && !altered;
  entry.size = arena_.size() - entry.offset;
  arena_.resize(arena_.size() + kPutSlack);
}

}  // namespace stepscope::chrome
