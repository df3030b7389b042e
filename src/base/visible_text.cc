// SPDX-License-Identifier: Apache-2.0
#include "base/visible_text.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "base/text.h"
#include "base/utf8.h"

namespace stepscope {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

// Marks of direction and invisible separators.
constexpr std::array<Range, 6> kHidden = {{{0x80, 0x9f},
                                           {0x061c, 0x061c},
                                           {0x200b, 0x200f},
                                           {0x2028, 0x202e},
                                           {0x2060, 0x2069},
                                           {0xfeff, 0xfeff}}};
// East Asian Wide and emoji, by block (Unicode TR 11, rounded outward).
constexpr std::array<Range, 9> kWide = {{{0x1100, 0x115f},
                                         {0x2e80, 0x303e},
                                         {0x3041, 0xa4cf},
                                         {0xac00, 0xd7a3},
                                         {0xf900, 0xfaff},
                                         {0xfe30, 0xfe6f},
                                         {0xff00, 0xff60},
                                         {0x1f300, 0x1faff},
                                         {0x20000, 0x3fffd}}};
constexpr std::array<Range, 4> kCombining = {
    {{0x0300, 0x036f}, {0x1ab0, 0x1aff}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}}};

template <size_t kCount>
bool In(const std::array<Range, kCount>& ranges, char32_t code) {
  return std::any_of(ranges.begin(), ranges.end(), [&](const Range& range) {
    return code >= range.first && code <= range.last;
  });
}

bool IsPrintable(char c) { return c >= ' ' && c < 0x7f; }

}  // namespace

std::string VisibleText(std::string_view text) {
  if (std::all_of(text.begin(), text.end(), IsPrintable))
    return std::string(text);
  std::string result;
  for (size_t at = 0; at < text.size();) {
    const size_t start = at;
    const char32_t code = NextCodePoint(text, at);
    if (code == '\n') {
      result += "\\n";
    } else if (code == '\t') {
      result += "\\t";
    } else if (code < ' ' || code == 0x7f || code == kInvalidUtf8) {
      result += Format("\\x%02x", static_cast<uint8_t>(text[start]));
    } else if (In(kHidden, code)) {
      result += Format("\\u%04x", static_cast<unsigned>(code));
    } else {
      result += text.substr(start, at - start);
    }
  }
  return result;
}

size_t DisplayWidth(std::string_view visible) {
  size_t width = 0;
  for (size_t at = 0; at < visible.size();) {
    const char32_t code = NextCodePoint(visible, at);
    if (code < 0x300) {
      ++width;
    } else if (!In(kCombining, code)) {
      width += In(kWide, code) ? 2 : 1;
    }
  }
  return width;
}

std::string Padded(std::string visible, size_t width) {
  const size_t have = DisplayWidth(visible);
  if (have < width) visible.append(width - have, ' ');
  return visible;
}

std::string Shorten(std::string_view visible, size_t limit) {
  size_t count = 0;
  size_t cut = 0;  // byte after the first `limit - 3` characters
  for (size_t at = 0; at < visible.size();) {
    if (count == limit) return std::string(visible.substr(0, cut)) + "...";
    NextCodePoint(visible, at);
    ++count;
    if (count + 3 == limit) cut = at;
  }
  return std::string(visible);
}

}  // namespace stepscope
