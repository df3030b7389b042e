// SPDX-License-Identifier: Apache-2.0
#include "cli/otlp_environment.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "base/text.h"

namespace stepscope {
namespace {

constexpr std::string_view kServiceName = "service.name";

int HexDigit(char c) {
  if (IsDigit(c)) return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// Nothing where a control character would come out.
std::optional<std::string> Unescaped(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '%' && i + 2 < text.size() && HexDigit(text[i + 1]) >= 0 &&
        HexDigit(text[i + 2]) >= 0) {
      c = static_cast<char>(HexDigit(text[i + 1]) << 4 | HexDigit(text[i + 2]));
      i += 2;
    }
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) return std::nullopt;
    out += c;
  }
  return out;
}

// As names of headers are made.
bool IsToken(std::string_view text) {
  constexpr std::string_view kOthers = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    const char lower = static_cast<char>(c | 0x20);
    return IsDigit(c) || (lower >= 'a' && lower <= 'z') ||
           kOthers.find(c) != kOthers.npos;
  });
}

std::string_view TextOfVariable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace

KeyValues ParseKeyValues(std::string_view text, std::vector<std::string>* bad) {
  KeyValues pairs;
  while (!text.empty()) {
    const size_t end = std::min(text.find(','), text.size());
    const std::string_view one = Trimmed(text.substr(0, end), " \t");
    text.remove_prefix(std::min(end + 1, text.size()));
    if (one.empty()) continue;
    const size_t equals = std::min(one.find('='), one.size());
    const std::string_view key = Trimmed(one.substr(0, equals), " \t");
    const std::optional<std::string> value =
        equals < one.size() ? Unescaped(Trimmed(one.substr(equals + 1), " \t"))
                            : std::nullopt;
    if (value && IsToken(key))
      pairs.emplace_back(key, *value);
    else
      bad->emplace_back(equals < one.size() ? key : "text without =");
  }
  return pairs;
}

otlp::Attributes ResourceOfEnvironment(std::vector<std::string>* bad) {
  otlp::Attributes attributes;
  const std::string service(TextOfVariable("OTEL_SERVICE_NAME"));
  if (!service.empty())
    attributes.push_back({std::string(kServiceName), service});
  for (auto& [key, value] :
       ParseKeyValues(TextOfVariable("OTEL_RESOURCE_ATTRIBUTES"), bad))
    if (service.empty() || key != kServiceName)
      attributes.push_back({key, value});
  return attributes;
}

}  // namespace stepscope
