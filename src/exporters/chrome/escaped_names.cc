// SPDX-License-Identifier: Apache-2.0
#include "exporters/chrome/escaped_names.h"

#include "exporters/chrome/digits.h"
#include "exporters/chrome/json_text.h"

namespace stepscope::chrome {
namespace {

constexpr std::string_view kStart = R"({"name":")";

}  // namespace

EscapedNames::Fragment EscapedNames::Text(StringId id) {
  Fragment fragment = EventStart(id);
  fragment.data += kStart.size();
  fragment.size -= kStart.size();
  return fragment;
}

void EscapedNames::Make(StringId id, Entry& entry) {
  if (!arena_.empty()) arena_.resize(arena_.size() - kPutSlack);
  entry.offset = arena_.size();
  arena_ += kStart;
  entry.valid = AppendJsonEscaped(arena_, strings_.view(id));
  entry.size = arena_.size() - entry.offset;
  arena_.resize(arena_.size() + kPutSlack);
}

}  // namespace stepscope::chrome
