// SPDX-License-Identifier: Apache-2.0
//
// Numbers as text, without locale and without branches on their length. Every
// Put function writes at `p`, may touch kPutSlack bytes, and returns the end.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace stepscope::chrome {

static_assert(std::endian::native == std::endian::little);

inline constexpr size_t kPutSlack = 32;

// Copies in steps of 32 bytes: up to 31 bytes beyond `size` are read and
// written.
inline char* PutPadded(char* p, const char* text, size_t size) {
  for (size_t i = 0; i < size; i += 32) std::memcpy(p + i, text + i, 32);
  return p + size;
}

template <size_t N>
inline char* PutLiteral(char* p, const char (&text)[N]) {
  std::memcpy(p, text, N - 1);
  return p + N - 1;
}

// The eight digits of v < 10^8 as bytes 0..9, the first digit lowest. Lanes of
// one word are split in two three times: by 10^4, 100 and 10.
inline uint64_t EightDigits(uint64_t v) {
  uint64_t high = v / 10000;
  uint64_t x = high | (v - high * 10000) << 32;
  uint64_t hundreds = (x * 10486 >> 20) & 0x0000007f0000007f;
  x = hundreds | (x - hundreds * 100) << 16;
  uint64_t tens = (x * 103 >> 10) & 0x000f000f000f000f;
  return tens | (x - tens * 10) << 8;
}

inline constexpr uint64_t kZeros = 0x3030303030303030;

inline char* PutUint(char* p, uint64_t v) {
  constexpr uint64_t kLimit = 100000000;
  if (v >= kLimit) [[unlikely]] {
    uint64_t high = v / kLimit;
    p = PutUint(p, high);
    uint64_t low = EightDigits(v - high * kLimit) + kZeros;
    std::memcpy(p, &low, 8);
    return p + 8;
  }
  uint64_t digits = EightDigits(v);
  // The last digit stays even if it is zero.
  int blank = std::countr_zero(digits | uint64_t{1} << 56) & ~7;
  digits = (digits + kZeros) >> blank;
  std::memcpy(p, &digits, 8);
  return p + 8 - blank / 8;
}

inline char* PutInt(char* p, int64_t v) {
  uint64_t magnitude = static_cast<uint64_t>(v);
  if (v < 0) [[unlikely]] {
    *p++ = '-';
    magnitude = 0 - magnitude;
  }
  return PutUint(p, magnitude);
}

// ".000" to ".999"
inline constexpr auto kThousandths = [] {
  std::array<char, 4000> table{};
  for (size_t i = 0; i < 1000; ++i) {
    table[4 * i] = '.';
    table[4 * i + 1] = static_cast<char>('0' + i / 100);
    table[4 * i + 2] = static_cast<char>('0' + i / 10 % 10);
    table[4 * i + 3] = static_cast<char>('0' + i % 10);
  }
  return table;
}();

// Nanoseconds as microseconds with three decimals, exactly: 12345 -> 12.345
inline char* PutMicros(char* p, int64_t ns) {
  uint64_t magnitude = static_cast<uint64_t>(ns);
  if (ns < 0) [[unlikely]] {
    *p++ = '-';
    magnitude = 0 - magnitude;
  }
  uint64_t micros = magnitude / 1000;
  p = PutUint(p, micros);
  std::memcpy(p, &kThousandths[4 * (magnitude - micros * 1000)], 4);
  return p + 4;
}

// The same for a time that is written more than once. Its text stays in
// registers: bytes that were just stored piece by piece are slow to load.
class MicrosText {
 public:
  explicit MicrosText(int64_t ns) : ns_(ns) {
    const auto magnitude = static_cast<uint64_t>(ns);
    if (magnitude >= kLimit) [[unlikely]]
      return;
    const uint64_t micros = magnitude / 1000;
    const uint64_t digits = EightDigits(micros);
    const int blank = std::countr_zero(digits | uint64_t{1} << 56) & ~7;
    digits_ = (digits + kZeros) >> blank;
    size_ = 8 - static_cast<size_t>(blank) / 8;
    std::memcpy(&thousandths_, &kThousandths[4 * (magnitude - micros * 1000)],
                4);
  }

  char* Put(char* p) const {
    if (size_ == 0) [[unlikely]]
      return PutMicros(p, ns_);
    std::memcpy(p, &digits_, 8);
    std::memcpy(p + size_, &thousandths_, 4);
    return p + size_ + 4;
  }

 private:
  // Eight digits of microseconds.
  static constexpr uint64_t kLimit = 100'000'000'000;

  int64_t ns_;
  uint64_t digits_ = 0;
  size_t size_ = 0;  // 0: long or negative, to be written anew
  uint32_t thousandths_ = 0;
};

}  // namespace stepscope::chrome
