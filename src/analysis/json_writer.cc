// SPDX-License-Identifier: Apache-2.0
#include "analysis/json_writer.h"

#include <charconv>
#include <cmath>

#include "base/text.h"
#include "base/utf8.h"

namespace stepscope {
namespace {

template <typename T>
void AppendNumber(std::string& out, T value) {
  char buffer[32];
  const auto [end, error] =
      std::to_chars(buffer, buffer + sizeof(buffer), value);
  out.append(buffer, end);
}

}  // namespace

void JsonWriter::Separate() {
  if (comma_) out_ += ',';
  comma_ = true;
}

JsonWriter& JsonWriter::Open(char bracket) {
  Separate();
  out_ += bracket;
  comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::Close(char bracket) {
  out_ += bracket;
  comma_ = true;
  return *this;
}

JsonWriter& JsonWriter::Key(std::string_view key) {
  Separate();
  Quote(key);
  out_ += ':';
  comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::Int(int64_t value) {
  Separate();
  AppendNumber(out_, value);
  return *this;
}

JsonWriter& JsonWriter::UInt(uint64_t value) {
  Separate();
  AppendNumber(out_, value);
  return *this;
}

JsonWriter& JsonWriter::Number(double value) {
  if (!std::isfinite(value)) return Null();
  Separate();
  AppendNumber(out_, value);
  return *this;
}

JsonWriter& JsonWriter::Bool(bool value) {
  Separate();
  out_ += value ? "true" : "false";
  return *this;
}

JsonWriter& JsonWriter::Null() {
  Separate();
  out_ += "null";
  return *this;
}

JsonWriter& JsonWriter::String(std::string_view text) {
  Separate();
  Quote(text);
  return *this;
}

void JsonWriter::Quote(std::string_view text) {
  out_ += '"';
  for (size_t at = 0; at < text.size();) {
    const size_t start = at;
    const char32_t code = NextCodePoint(text, at);
    if (code == '"' || code == '\\') {
      out_ += '\\';
      out_ += text[start];
    } else if (code < 0x20) {
      out_ += Format("\\u%04x", static_cast<unsigned>(code));
    } else if (code == kInvalidUtf8) {
      out_ += "\xef\xbf\xbd";
    } else {
      out_ += text.substr(start, at - start);
    }
  }
  out_ += '"';
}

}  // namespace stepscope
