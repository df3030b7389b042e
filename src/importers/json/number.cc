// SPDX-License-Identifier: Apache-2.0
#include "importers/json/number.h"

#include <bit>
#include <charconv>
#include <cstring>
#include <iterator>
#include <limits>

#include "base/text.h"

namespace stepscope::json {
namespace {

constexpr uint64_t kMaxMantissa = std::numeric_limits<uint64_t>::max() / 10 - 1;
// More than any sum of digits and exponent that can still fit.
constexpr int64_t kHugeExponent = 1000000;

uint64_t Next(uint64_t number, char digit) {
  return number * 10 + static_cast<uint64_t>(digit - '0');
}

// Powers of ten, as far as a rest of less than eight digits needs them.
constexpr uint64_t kTen[] = {1,      10,      100,       1000,
                             10'000, 100'000, 1'000'000, 10'000'000};

constexpr uint64_t kMost = std::numeric_limits<int64_t>::max();
constexpr uint64_t kZeros = 0x3030303030303030u;  // eight characters

// Eight characters as one word, the first of them lowest.
uint64_t Load(const char* text) {
  uint64_t word;
  std::memcpy(&word, text, sizeof word);
  if constexpr (std::endian::native == std::endian::big)
    word = __builtin_bswap64(word);
  return word;
}

bool AreDigits(uint64_t word) {
  constexpr uint64_t kHigh = 0xf0f0f0f0f0f0f0f0u;
  // 0x30 .. 0x39 have a 3 in the high half, and still have it six later.
  return (((word & kHigh) | (((word + 0x0606060606060606u) & kHigh) >> 4)) ==
          0x3333333333333333u);
}

// Their value: neighbours are joined to pairs, fours and the whole.
uint64_t EightDigits(uint64_t word) {
  word &= 0x0f0f0f0f0f0f0f0fu;
  word = (word * 10 + (word >> 8)) & 0x00ff00ff00ff00ffu;
  word = (word * 100 + (word >> 16)) & 0x0000ffff0000ffffu;
  return (word * 10000 + (word >> 32)) & 0xffffffffu;
}

// The number that `size` digits state; false if they are none. REQUIRES: at
// most 18 of them.
bool ReadDigits(const char* at, size_t size, uint64_t& number) {
  number = 0;
  if (size < 8) {
    for (size_t i = 0; i < size; ++i) {
      if (!IsDigit(at[i])) return false;
      number = Next(number, at[i]);
    }
    return size > 0;
  }
  for (; size >= 8; at += 8, size -= 8) {
    const uint64_t word = Load(at);
    if (!AreDigits(word)) return false;
    number = number * 100'000'000 + EightDigits(word);
  }
  if (size == 0) return true;
  // The rest and what stands before it, which is taken for zeros.
  const uint64_t rest = ~uint64_t{0} << (8 * (8 - size));
  const uint64_t word = (Load(at + size - 8) & rest) | (kZeros & ~rest);
  if (!AreDigits(word)) return false;
  number = number * kTen[size] + EightDigits(word);
  return true;
}

// The same for four to seven digits where eight bytes can be read.
bool ReadFewDigits(const char* at, size_t size, uint64_t& number) {
  const uint64_t word = (Load(at) << (8 * (8 - size))) | (kZeros >> (8 * size));
  number = EightDigits(word);
  return AreDigits(word);
}

// The same with three decimals, in thousandths: as most times are written.
bool ReadThousandths(std::string_view text, uint64_t& number) {
  const size_t size = text.size();
  if (size < 5 || text[size - 4] != '.') return false;
  const char* const decimals = text.data() + size - 3;
  const size_t digits = size - 4;
  uint64_t whole = 0;
  if (!IsDigit(decimals[0]) || !IsDigit(decimals[1]) || !IsDigit(decimals[2]) ||
      !(digits >= 4 && digits < 8 ? ReadFewDigits(text.data(), digits, whole)
                                  : ReadDigits(text.data(), digits, whole)))
    return false;
  number = Next(Next(Next(whole, decimals[0]), decimals[1]), decimals[2]);
  return true;
}

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

}  // namespace

bool ParsePlain(std::string_view text, int scale, int64_t& value) {
  constexpr size_t kSafeDigits = 18;
  if (text.empty() || text.size() > kSafeDigits) return false;
  const char* at = text.data();
  const char* const end = at + text.size();
  uint64_t number = 0;
  if (scale == 3 && ReadThousandths(text, number)) {
    value = static_cast<int64_t>(number);
    return true;
  }
  number = 0;
  for (; end - at >= 8; at += 8) {
    const uint64_t word = Load(at);
    if (!AreDigits(word)) break;
    number = number * 100'000'000 + EightDigits(word);
  }
  for (; at < end && IsDigit(*at); ++at) number = Next(number, *at);
  if (at == text.data()) return false;
  int left = scale;
  if (at < end) {
    if (scale == 0 || *at++ != '.') return false;
    for (; at < end && IsDigit(*at) && left > 0; ++at, --left)
      number = Next(number, *at);
    if (at < end) return false;
  }
  if (left > 0) {
    // At most 18 digits stand in the text: three zeros more may not fit.
    const auto zeros = static_cast<size_t>(left);
    if (zeros >= std::size(kTen) || number > kMost / kTen[zeros]) return false;
    number *= kTen[zeros];
  }
  value = static_cast<int64_t>(number);
  return true;
}

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

bool ParseSigned(std::string_view text, int64_t& value) {
  if (ParsePlain(text, 0, value)) return true;
  const char* const end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && last == end;
}

bool ParseReal(std::string_view text, double& value) {
  // Up to 2^53 an integer is a double, and so are these powers: the quotient
  // is rounded once.
  constexpr double kPowers[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8};
  constexpr int64_t kExact = int64_t{1} << 53;
  const size_t point = text.find('.');
  const size_t decimals = point == text.npos ? 0 : text.size() - point - 1;
  int64_t digits = 0;
  if (decimals < std::size(kPowers) &&
      ParsePlain(text, static_cast<int>(decimals), digits) &&
      digits <= kExact) {
    value = static_cast<double>(digits) / kPowers[decimals];
    return true;
  }
  const char* const end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && last == end;
}

}  // namespace stepscope::json
