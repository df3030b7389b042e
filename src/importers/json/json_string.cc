// SPDX-License-Identifier: Apache-2.0
#include "importers/json/json_string.h"

#include <cstdint>

#include "base/utf8.h"

namespace stepscope::json {
namespace {

void AppendUtf8(char32_t code, std::string& out) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xc0 | code >> 6);
    out += static_cast<char>(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xe0 | code >> 12);
    out += static_cast<char>(0x80 | (code >> 6 & 0x3f));
    out += static_cast<char>(0x80 | (code & 0x3f));
  } else {
    out += static_cast<char>(0xf0 | code >> 18);
    out += static_cast<char>(0x80 | (code >> 12 & 0x3f));
    out += static_cast<char>(0x80 | (code >> 6 & 0x3f));
    out += static_cast<char>(0x80 | (code & 0x3f));
  }
}

// Four hexadecimal digits at `at`.
bool ReadHex(std::string_view raw, size_t at, char32_t& code) {
  if (raw.size() - at < 4) return false;
  code = 0;
  for (size_t i = at; i < at + 4; ++i) {
    const char c = raw[i];
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0) return false;
    code = code << 4 | static_cast<char32_t>(digit);
  }
  return true;
}

bool IsSurrogate(char32_t code) { return code >= 0xd800 && code < 0xe000; }

// \uXXXX or a pair of them at `at`, just behind the u.
bool AppendCode(std::string_view raw, size_t& at, std::string& out) {
  char32_t code = 0;
  if (at > raw.size() || !ReadHex(raw, at, code)) {
    out += "\\u";
    return false;
  }
  at += 4;
  char32_t low = 0;
  if (code >= 0xd800 && code < 0xdc00 && raw.size() - at >= 6 &&
      raw[at] == '\\' && raw[at + 1] == 'u' && ReadHex(raw, at + 2, low) &&
      low >= 0xdc00 && low < 0xe000) {
    at += 6;
    code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
  }
  const bool lone = IsSurrogate(code);
  AppendUtf8(lone ? char32_t{0xfffd} : code, out);
  return !lone;
}

}  // namespace

bool Unescape(std::string_view raw, std::string& out) {
  bool sound = true;
  size_t at = 0;
  while (at < raw.size()) {
    const size_t next = raw.find('\\', at);
    out.append(raw, at, next - at);
    if (next == raw.npos) break;
    at = next + 1;
    if (at == raw.size()) {
      out += '\\';
      return false;
    }
    const char c = raw[at++];
    switch (c) {
      case '"':
      case '\\':
      case '/':
        out += c;
        break;
      case 'b':
        out += '\b';
        break;
      case 'f':
        out += '\f';
        break;
      case 'n':
        out += '\n';
        break;
      case 'r':
        out += '\r';
        break;
      case 't':
        out += '\t';
        break;
      case 'u':
        sound &= AppendCode(raw, at, out);
        break;
      default:
        out += '\\';
        out += c;
        sound = false;
    }
  }
  return sound;
}

std::string_view Unescaped(std::string_view raw, std::string& buffer) {
  if (raw.find('\\') == raw.npos) return raw;
  buffer.clear();
  Unescape(raw, buffer);
  return buffer;
}

std::string_view WrongBytes(std::string_view json) {
  for (size_t at = 0; at < json.size();) {
    if (NextCodePoint(json, at) == kInvalidUtf8) return "bytes are not UTF-8";
  }
  bool quoted = false;
  for (size_t at = 0; at < json.size(); ++at) {
    if (quoted && json[at] == '\\') {
      ++at;
    } else if (json[at] == '"') {
      quoted = !quoted;
    } else if (quoted && static_cast<unsigned char>(json[at]) < 0x20) {
      return "raw control character in a string";
    }
  }
  return {};
}

}  // namespace stepscope::json
