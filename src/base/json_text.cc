// SPDX-License-Identifier: Apache-2.0
#include "base/json_text.h"

#include <cstddef>
#include <cstdint>

#include "base/utf8.h"

namespace stepscope {
namespace {

constexpr char kHex[] = "0123456789abcdef";

bool IsUnescaped(char c) {
  return static_cast<uint8_t>(c) >= 0x20 && static_cast<uint8_t>(c) < 0x80 &&
         c != '"' && c != '\\';
}

void AppendEscape(std::string& out, char c) {
  switch (c) {
    case '"':
      out += "\\\"";
      break;
    case '\\':
      out += "\\\\";
      break;
    case '\n':
      out += "\\n";
      break;
    case '\r':
      out += "\\r";
      break;
    case '\t':
      out += "\\t";
      break;
    default:
      out += "\\u00";
      out += kHex[static_cast<uint8_t>(c) >> 4];
      out += kHex[c & 15];
  }
}

}  // namespace

bool AppendJsonEscaped(std::string& out, std::string_view bytes,
                       InvalidUtf8 invalid) {
  bool valid = true;
  size_t i = 0;
  while (i < bytes.size()) {
    size_t plain = i;
    while (i < bytes.size() && IsUnescaped(bytes[i])) ++i;
    out.append(bytes.substr(plain, i - plain));
    if (i == bytes.size()) break;
    size_t start = i;
    char32_t code = NextCodePoint(bytes, i);
    if (code == kInvalidUtf8) {
      if (invalid == InvalidUtf8::kKeep) {
        out += bytes[start];
      } else {
        out += "\xef\xbf\xbd";
      }
      valid = false;
    } else if (code < 0x80) {
      AppendEscape(out, static_cast<char>(code));
    } else {
      out.append(bytes.substr(start, i - start));
    }
  }
  return valid;
}

void AppendJsonString(std::string& out, std::string_view bytes,
                      InvalidUtf8 invalid) {
  out += '"';
  AppendJsonEscaped(out, bytes, invalid);
  out += '"';
}

}  // namespace stepscope
