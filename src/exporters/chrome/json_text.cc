// SPDX-License-Identifier: Apache-2.0
#include "exporters/chrome/json_text.h"

#include <charconv>
#include <cmath>
#include <cstdint>

#include "exporters/chrome/digits.h"

namespace stepscope::chrome {
namespace {

constexpr char kHex[] = "0123456789abcdef";
constexpr size_t kNumberBytes = 64;

}  // namespace

void AppendHex(std::string& out, std::string_view bytes) {
  for (char c : bytes) {
    out += kHex[static_cast<uint8_t>(c) >> 4];
    out += kHex[c & 15];
  }
}

void AppendTextField(std::string& out, std::string_view key,
                     std::string_view bytes) {
  out += '"';
  out += key;
  out += "\":\"";
  bool valid = AppendJsonEscaped(out, bytes);
  out += '"';
  if (valid) return;
  out += ",\"";
  out += key;
  out += "_bytes\":\"";
  AppendHex(out, bytes);
  out += '"';
}

void AppendInt(std::string& out, int64_t value) {
  char text[kNumberBytes];
  out.append(text, PutInt(text, value));
}

void AppendUint(std::string& out, uint64_t value) {
  char text[kNumberBytes];
  out.append(text, PutUint(text, value));
}

void AppendMicros(std::string& out, int64_t ns) {
  char text[kNumberBytes];
  out.append(text, PutMicros(text, ns));
}

void AppendDouble(std::string& out, double value) {
  if (std::isnan(value)) {
    out += "\"NaN\"";
    return;
  }
  if (std::isinf(value)) {
    out += value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
    return;
  }
  char text[kNumberBytes];
  char* end = std::to_chars(text, text + sizeof text, value).ptr;
  std::string_view number(text, static_cast<size_t>(end - text));
  out += number;
  if (number.find_first_of(".e") == std::string_view::npos) out += ".0";
}

}  // namespace stepscope::chrome
