// SPDX-License-Identifier: Apache-2.0
#include "base/csv.h"

namespace stepscope {
namespace {

std::string Guarded(std::string_view text) {
  constexpr std::string_view kFormula = "=+-@\t\r";
  const bool runs =
      !text.empty() && kFormula.find(text.front()) != kFormula.npos;
  return (runs ? "'" : "") + std::string(text);
}

std::string Quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"') result += '"';
    result += c;
  }
  return result + '"';
}

}  // namespace

std::string CsvText(std::string_view text) { return CsvValue(Guarded(text)); }

std::string CsvQuotedText(std::string_view text) {
  return Quoted(Guarded(text));
}

std::string CsvValue(std::string_view value) {
  return value.find_first_of(",\"\r\n") == value.npos ? std::string(value)
                                                      : Quoted(value);
}

}  // namespace stepscope
