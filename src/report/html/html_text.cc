// SPDX-License-Identifier: Apache-2.0
#include "report/html/html_text.h"

#include <cmath>

#include "base/text.h"
#include "base/visible_text.h"

namespace stepscope::html {
namespace {

constexpr const char* kSpace = "\u202f";

std::string Digits(double value) {
  return Format(std::abs(value) >= 9.995 ? "%.1f" : "%.2f", value);
}

}  // namespace

std::string Escape(std::string_view text) {
  std::string out;
  for (const char c : VisibleText(text)) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string Time(int64_t ns) {
  const auto value = static_cast<double>(ns);
  // 999.96 us would read "1000.0 us".
  const auto at_least = [&](double one) {
    return std::abs(value) >= one * 0.99995;
  };
  if (at_least(1e9)) return Digits(value / 1e9) + kSpace + "s";
  if (at_least(1e6)) return Digits(value / 1e6) + kSpace + "ms";
  if (at_least(1e3)) return Digits(value / 1e3) + kSpace + "\u00b5s";
  return std::to_string(ns) + kSpace + "ns";
}

std::string Bytes(int64_t bytes) {
  auto value = static_cast<double>(bytes);
  if (std::abs(value) < 1024) return std::to_string(bytes) + kSpace + "B";
  const char* unit = "B";
  for (const char* next : {"KiB", "MiB", "GiB", "TiB"}) {
    if (std::abs(value) < 1023.995) break;
    value /= 1024;
    unit = next;
  }
  return Digits(value) + kSpace + unit;
}

std::string Share(double share) {
  return Format("%.1f", share * 100) + kSpace + "%";
}

std::string Count(int64_t count) {
  std::string text = std::to_string(count);
  const size_t sign = count < 0 ? 1 : 0;
  for (size_t at = text.size(); at > sign + 3;) {
    at -= 3;
    text.insert(at, ",");
  }
  return text;
}

}  // namespace stepscope::html
