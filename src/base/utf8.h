// SPDX-License-Identifier: Apache-2.0
//
// UTF-8, strictly: no overlong forms, surrogates or values above U+10FFFF.
#pragma once

#include <cstddef>
#include <cstdint>
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

}  // namespace stepscope
