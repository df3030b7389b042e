// SPDX-License-Identifier: Apache-2.0
//
// Numbers of JSON as integers, without floating point in between: a time of
// day in microseconds has more digits than a double.
#pragma once

#include <cstdint>
#include <string_view>

namespace stepscope::json {

enum class NumberState : uint8_t {
  kOk,
  kNotANumber,  // also NaN and infinities, which JSON does not have
  kOutOfRange,
};

// Digits, perhaps a point and up to `scale` digits more, as an integer times
// 10^scale: nearly every number there is. False where there is more to it.
bool ParsePlain(std::string_view text, int scale, int64_t& value);

// `text` times 10^scale as an integer; what is left is rounded, halves away
// from zero. Takes exponents and, as some writers quote them, strings.
NumberState ParseScaled(std::string_view text, int scale, int64_t& value);

// Microseconds as nanoseconds.
inline NumberState ParseMicros(std::string_view text, int64_t& ns) {
  return ParseScaled(text, 3, ns);
}

// An integer, exactly: also 2^63..2^64-1, which come out as their bits. False
// for all else. Plain and in quotes; with 0x in quotes.
bool ParseInteger(std::string_view text, int64_t& value);

// Digits, perhaps behind a minus, and nothing else; what fits only.
bool ParseSigned(std::string_view text, int64_t& value);

// The nearest double. False for what is no number, NaN and infinities aside.
bool ParseReal(std::string_view text, double& value);

}  // namespace stepscope::json
