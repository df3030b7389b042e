// SPDX-License-Identifier: Apache-2.0
#include "importers/json/number.h"

#include <charconv>
#include <limits>

namespace stepscope::json {
namespace {

constexpr uint64_t kMaxMantissa = std::numeric_limits<uint64_t>::max() / 10 - 1;
// More than any sum of digits and exponent that can still fit.
constexpr int64_t kHugeExponent = 1000000;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

std::string_view WithoutQuotes(std::string_view text) {
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"')
    text = text.substr(1, text.size() - 2);
  return text;
}

// value * 10^exponent, away from zero at halves.
bool Shift(uint64_t& value, int64_t exponent) {
  if (value == 0) return true;
  for (; exponent > 0; --exponent)
    if (__builtin_mul_overflow(value, uint64_t{10}, &value)) return false;
  if (exponent == 0) return true;
  if (exponent < -20) {
    value = 0;
    return true;
  }
  uint64_t last = 0;
  for (; exponent < 0; ++exponent) {
    last = value % 10;
    value /= 10;
  }
  if (last >= 5) ++value;
  return true;
}

// Digits, perhaps a point and up to `scale` digits more: nearly every number
// there is. False where there is more to it.
bool ParsePlain(std::string_view text, int scale, int64_t& value) {
  constexpr size_t kSafeDigits = 18;
  if (text.empty() || text.size() > kSafeDigits) return false;
  const char* at = text.data();
  const char* const end = at + text.size();
  int64_t number = 0;
  for (; at < end && IsDigit(*at); ++at) number = number * 10 + (*at - '0');
  if (at == text.data()) return false;
  int left = scale;
  if (at < end) {
    if (scale == 0 || *at++ != '.') return false;
    for (; at < end && IsDigit(*at) && left > 0; ++at, --left)
      number = number * 10 + (*at - '0');
    if (at < end) return false;
  }
  // At most 18 digits stand in the text: three zeros more may not fit.
  if (text.size() + static_cast<size_t>(left) > kSafeDigits) return false;
  for (; left > 0; --left) number *= 10;
  value = number;
  return true;
}

}  // namespace

NumberState ParseScaled(std::string_view text, int scale, int64_t& value) {
  if (ParsePlain(text, scale, value)) return NumberState::kOk;
  text = WithoutQuotes(text);
  size_t at = 0;
  const bool negative = at < text.size() && text[at] == '-';
  if (negative || (at < text.size() && text[at] == '+')) ++at;
  uint64_t mantissa = 0;
  int64_t exponent = scale;
  bool digits = false;
  bool full = false;  // further digits are below what the mantissa can hold
  bool point = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '.' && !point) {
      point = true;
      continue;
    }
    if (!IsDigit(c)) break;
    digits = true;
    if (mantissa <= kMaxMantissa && !full) {
      mantissa = mantissa * 10 + static_cast<uint64_t>(c - '0');
      exponent -= point;
    } else {
      full = true;
      exponent += !point;
    }
  }
  if (!digits) return NumberState::kNotANumber;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    const bool down = at < text.size() && text[at] == '-';
    if (down || (at < text.size() && text[at] == '+')) ++at;
    if (at == text.size()) return NumberState::kNotANumber;
    int64_t power = 0;
    for (; at < text.size() && IsDigit(text[at]); ++at)
      if (power < kHugeExponent) power = power * 10 + (text[at] - '0');
    exponent += down ? -power : power;
  }
  if (at != text.size()) return NumberState::kNotANumber;
  if (mantissa != 0 && exponent > 20) return NumberState::kOutOfRange;
  if (!Shift(mantissa, exponent)) return NumberState::kOutOfRange;
  if (mantissa > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
    return NumberState::kOutOfRange;
  value = static_cast<int64_t>(mantissa);
  if (negative) value = -value;
  return NumberState::kOk;
}

bool ParseInteger(std::string_view text, int64_t& value) {
  if (ParsePlain(text, 0, value)) return true;
  if (text.empty() || text.front() == '[' || text.front() == '{') return false;
  const std::string_view plain = WithoutQuotes(text);
  const char* first = plain.data();
  const char* const last = first + plain.size();
  int base = 10;
  if (plain.size() != text.size() && plain.size() > 2 && plain[0] == '0' &&
      (plain[1] == 'x' || plain[1] == 'X')) {
    first += 2;
    base = 16;
  }
  auto [end, error] = std::from_chars(first, last, value, base);
  if (error == std::errc() && end == last) return true;
  uint64_t large = 0;
  const auto result = std::from_chars(first, last, large, base);
  if (result.ec != std::errc() || result.ptr != last) return false;
  value = static_cast<int64_t>(large);
  return true;
}

}  // namespace stepscope::json
