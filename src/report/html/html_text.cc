// SPDX-License-Identifier: Apache-2.0
#include "report/html/html_text.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "base/visible_text.h"

namespace stepscope::html {
namespace {

constexpr const char* kSpace = "\u202f";

std::string Digits(double value) {
  return Format(std::abs(value) >= 9.995 ? "%.1f" : "%.2f", value);
}

bool IsWord(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         c == '_' || c == '-';
}

// The unit that begins at `at`, and how it is written; empty: none does.
std::pair<std::string_view, std::string_view> UnitAt(std::string_view text,
                                                     size_t at) {
  constexpr std::pair<std::string_view, std::string_view> kUnits[] = {
      {"%", "%"}, {"us", "\u00b5s"}, {"ns", "ns"}, {"ms", "ms"}, {"s", "s"}};
  for (const auto& [unit, written] : kUnits) {
    const size_t end = at + unit.size();
    if (text.substr(at).starts_with(unit) &&
        (end == text.size() || !IsWord(text[end])))
      return {unit, written};
  }
  return {};
}

}  // namespace

std::string Prose(std::string_view sentence, std::string_view name) {
  constexpr size_t kSure = 20;  // a long name is cut in the sentence
  const size_t end =
      name.empty()
          ? sentence.size()
          : std::min(sentence.size(), sentence.find(name.substr(0, kSure)));
  const std::string text = Escape(sentence.substr(0, end));
  std::string out;
  for (size_t i = 0; i < text.size();) {
    if (text[i] == ' ' && i > 0 && IsDigit(text[i - 1])) {
      const auto [unit, written] = UnitAt(text, i + 1);
      if (!unit.empty()) {
        out += kSpace + std::string(written);
        i += 1 + unit.size();
        continue;
      }
    }
    size_t option = i;
    if ((i == 0 || text[i - 1] == ' ') && text.compare(i, 2, "--") == 0)
      while (option < text.size() && IsWord(text[option])) ++option;
    if (option > i + 2) {
      out += "<code>" + text.substr(i, option - i) + "</code>";
      i = option;
    } else {
      out += text[i++];
    }
  }
  return out + Escape(sentence.substr(end));
}

std::string PlaceName(std::string place) {
  constexpr std::string_view kBegin = "Place(";
  if (!place.starts_with(kBegin) || !place.ends_with(')')) return place;
  return place.substr(kBegin.size(), place.size() - kBegin.size() - 1);
}

std::string Escape(std::string_view text) {
  std::string out;
  for (const char c : VisibleText(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
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

std::string Bytes(int64_t bytes) { return BytesText(bytes, kSpace); }

std::string Share(double share) {
  return Format("%.1f", share * 100) + kSpace + "%";
}

std::string Swatch(std::string_view hue) {
  return "<svg class=\"swatch\" viewBox=\"0 0 8 8\" "
         "aria-hidden=\"true\"><rect class=\"c-" +
         std::string(hue) + "\" width=\"8\" height=\"8\" rx=\"2\"/></svg>";
}

}  // namespace stepscope::html
