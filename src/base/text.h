// SPDX-License-Identifier: Apache-2.0
//
// Text helpers.
#pragma once

#include <concepts>
#include <cstdarg>
#include <cstdint>
#include <string>
#include <string_view>

namespace stepscope {

inline bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Without the blanks that it begins and ends with.
std::string_view Trimmed(std::string_view text, std::string_view blanks = " ");

// printf into a string.
[[gnu::format(printf, 1, 2)]] std::string Format(const char* format, ...);

// A whole number in digits, for people: "-1234567" becomes "-1,234,567".
std::string GroupDigits(std::string digits);

// A count for people: "1,234,567".
template <std::integral Number>
std::string CountText(Number count) {
  return GroupDigits(std::to_string(count));
}

// "1 event was", "2,000 events were".
template <std::integral Number>
std::string CountText(Number count, std::string_view one,
                      std::string_view many) {
  return CountText(count) + " " + std::string(count == 1 ? one : many);
}

// "1 event", "2,000 events".
template <std::integral Number>
std::string CountText(Number count, std::string_view one) {
  return CountText(count, one, std::string(one) + "s");
}

// "12.5 GiB", "999 bytes"; `space` stands between figure and unit.
std::string BytesText(int64_t bytes, std::string_view space = " ");

// Whether people would put `a` before `b`: numbers within them count by their
// value, so that "rank 2" comes before "rank 10".
bool NaturallyBefore(std::string_view a, std::string_view b);

}  // namespace stepscope
