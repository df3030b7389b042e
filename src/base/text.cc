// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include <cmath>
#include <cstdio>

namespace stepscope {

std::string Format(const char* format, ...) {
  va_list args;
  va_start(args, format);
  va_list again;
  va_copy(again, args);
  const int length = std::vsnprintf(nullptr, 0, format, args);
  va_end(args);
  std::string text;
  if (length > 0) {
    text.resize(static_cast<size_t>(length));
    // The terminator lands on the string's own.
    std::vsnprintf(text.data(), text.size() + 1, format, again);
  }
  va_end(again);
  return text;
}

std::string_view Trimmed(std::string_view text, std::string_view blanks) {
  const size_t first = text.find_first_not_of(blanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::string BytesText(int64_t bytes, std::string_view space) {
  auto value = static_cast<double>(bytes);
  std::string text;
  const char* unit = "B";
  if (std::abs(value) < 1024) {
    text = std::to_string(bytes);
  } else {
    for (const char* next : {"KiB", "MiB", "GiB", "TiB", "PiB"}) {
      if (std::abs(value) < 1023.995) break;
      value /= 1024;
      unit = next;
    }
    text = Format(std::abs(value) >= 9.995 ? "%.1f" : "%.2f", value);
  }
  return text.append(space).append(unit);
}

std::string GroupDigits(std::string digits) {
  const size_t sign = !digits.empty() && digits[0] == '-' ? 1 : 0;
  for (size_t at = digits.size(); at > sign + 3;) digits.insert(at -= 3, ",");
  return digits;
}

namespace {

// Takes the number at the front off, without the zeros it begins with.
std::string_view TakeNumber(std::string_view& text) {
  size_t end = 0;
  while (end < text.size() && IsDigit(text[end])) ++end;
  std::string_view number = text.substr(0, end);
  text.remove_prefix(end);
  while (number.size() > 1 && number.front() == '0') number.remove_prefix(1);
  return number;
}

}  // namespace

bool NaturallyBefore(std::string_view a, std::string_view b) {
  std::string_view x = a;
  std::string_view y = b;
  while (!x.empty() && !y.empty()) {
    if (IsDigit(x.front()) && IsDigit(y.front())) {
      const std::string_view m = TakeNumber(x);
      const std::string_view n = TakeNumber(y);
      if (m.size() != n.size()) return m.size() < n.size();
      if (m != n) return m < n;
      continue;
    }
    if (x.front() != y.front()) return x.front() < y.front();
    x.remove_prefix(1);
    y.remove_prefix(1);
  }
  // "07" and "7" are the same so far; an order has to be one.
  return x.empty() && y.empty() ? a < b : x.empty();
}

}  // namespace stepscope
