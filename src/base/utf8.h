// SPDX-License-Identifier: Apache-2.0
//
// UTF-8, strictly: no overlong forms, surrogates or values above U+10FFFF.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace stepscope {

inline constexpr char32_t kInvalidUtf8 = 0xffffffffu;

// The code point at `at`, which moves past it; kInvalidUtf8 if there is none,
// and then `at` moves by one byte. REQUIRES: at < text.size().
inline char32_t NextCodePoint(std::string_view text, size_t& at) {
  const auto byte = [&](size_t i) {
    return static_cast<uint8_t>(text[at + i]);
  };
  const uint8_t lead = byte(0);
  if (lead < 0x80) {
    ++at;
    return lead;
  }
  const size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() - at < length) {
    ++at;
    return kInvalidUtf8;
  }
  char32_t code = lead & (0x7fu >> length);
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) {
      ++at;
      return kInvalidUtf8;
    }
    code = code << 6 | (byte(i) & 0x3fu);
  }
  constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < kSmallest[length] || code > 0x10ffff ||
      (code >= 0xd800 && code < 0xe000)) {
    ++at;
    return kInvalidUtf8;
  }
  at += length;
  return code;
}

inline bool IsValidUtf8(std::string_view text) {
  for (size_t at = 0; at < text.size();)
    if (NextCodePoint(text, at) == kInvalidUtf8) return false;
  return true;
}

// `text` with U+FFFD for each byte that is no UTF-8. False: there were any.
inline bool AppendValidUtf8(std::string& out, std::string_view text) {
  bool valid = true;
  for (size_t at = 0; at < text.size();) {
    const size_t from = at;
    if (NextCodePoint(text, at) == kInvalidUtf8) {
      out += "\xef\xbf\xbd";
      valid = false;
    } else {
      out += text.substr(from, at - from);
    }
  }
  return valid;
}

inline std::string ValidUtf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  AppendValidUtf8(out, text);
  return out;
}

}  // namespace stepscope
