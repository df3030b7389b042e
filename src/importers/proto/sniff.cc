// SPDX-License-Identifier: Apache-2.0
#include "importers/proto/sniff.h"

#include <algorithm>
#include <bit>

#include "base/utf8.h"

namespace stepscope::proto {
namespace {

// No format has field numbers near this.
constexpr uint32_t kMaxNumber = 256;

struct Verdict {
  bool fits = true;
  uint32_t telling = 0;  // messages with enough evidence, and such fields
};

// A cut may go through the last character.
bool IsText(std::string_view text, bool cut) {
  for (size_t at = 0; at < text.size();) {
    const size_t left = text.size() - at;
    const char32_t code = NextCodePoint(text, at);
    if (code == kInvalidUtf8) return cut && left < 4;
    if ((code < 0x20 && code != '\t' && code != '\n') || code == 0x7f)
      return false;
  }
  return true;
}

bool IsVersion(std::string_view text) {
  if (text.empty() || text.size() > 16) return false;
  if (text.front() < '0' || text.front() > '9') return false;
  return std::all_of(
             text.begin(), text.end(),
             [](char c) { return (c >= '0' && c <= '9') || c == '.'; }) &&
         std::count(text.begin(), text.end(), '.') == 2;
}

// Null if there is no rule for the field; `*wrong` if there is one for its
// number but not for its wire type.
const Rule* FindRule(const Shape& shape, uint32_t tag, bool* wrong) {
  for (const Rule& rule : shape.rules) {
    if (rule.tag == tag) return &rule;
    if (rule.tag >> 3 == tag >> 3) *wrong = true;
  }
  return nullptr;
}

// `open`: the message may go on behind what is here.
Verdict Walk(const Shape& shape, Bytes bytes, bool open) {
  Verdict verdict;
  uint32_t known = 0;
  uint32_t unknown = 0;
  uint64_t seen = 0;  // telling rules that were met
  Message message(bytes);
  while (verdict.fits && message.Next()) {
    bool wrong = message.number() > kMaxNumber;
    const Rule* const rule = FindRule(shape, message.tag(), &wrong);
    if (rule == nullptr) {
      verdict.fits = !wrong;
      ++unknown;
      continue;
    }
    ++known;
    const bool cut = open && message.cut();
    switch (rule->holds) {
      case Rule::Holds::kAny:
        break;
      case Rule::Holds::kText:
        verdict.fits = IsText(message.text(), cut);
        break;
      case Rule::Holds::kPath:
        verdict.fits =
            message.text().starts_with('/') && IsText(message.text(), cut);
        break;
      case Rule::Holds::kVersion:
        verdict.fits = IsVersion(message.text());
        break;
      case Rule::Holds::kMessage: {
        const Verdict inner = Walk(*rule->shape, message.bytes(), cut);
        verdict.fits = inner.fits;
        verdict.telling += inner.telling;
        break;
      }
    }
    if (rule->telling) seen |= uint64_t{1} << (rule - shape.rules.data());
  }
  if ((!message.ok() && !open) || unknown > known) verdict.fits = false;
  const auto telling = static_cast<uint32_t>(std::popcount(seen));
  if (telling > 0 && telling >= shape.least_telling) ++verdict.telling;
  return verdict;
}

}  // namespace

bool BeginsAs(const Shape& shape, Bytes head) {
  const Verdict verdict = Walk(shape, head, true);
  return verdict.fits && verdict.telling > 0;
}

}  // namespace stepscope::proto
