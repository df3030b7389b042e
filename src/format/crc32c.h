// SPDX-License-Identifier: Apache-2.0
//
// CRC-32C (Castagnoli), with the processor's instruction where it has one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif

namespace stepscope::format {

namespace crc32c_detail {

constexpr std::array<uint32_t, 256> MakeTable() {
  std::array<uint32_t, 256> table{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit)
      crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82f63b78u : 0u);
    table[i] = crc;
  }
  return table;
}
inline constexpr std::array<uint32_t, 256> kTable = MakeTable();

inline uint32_t Portable(uint32_t crc, const uint8_t* p, size_t n) {
  for (; n != 0; --n, ++p) crc = kTable[(crc ^ *p) & 0xff] ^ (crc >> 8);
  return crc;
}

// The register after kLane more zero bytes, as four lookups of a byte each: it
// joins checksums of neighbouring stretches. Zero bytes act on the register as
// a linear map, which is a column of 32 bits for each bit; squaring it doubles
// the bytes.
inline constexpr size_t kLane = 1024;
using Shift = std::array<std::array<uint32_t, 256>, 4>;
constexpr Shift MakeShift() {
  std::array<uint32_t, 32> map{};
  const auto apply = [&map](uint32_t crc) {
    uint32_t out = 0;
    for (uint32_t bit = 0; bit < 32; ++bit)
      out ^= ((crc >> bit) & 1) != 0 ? map[bit] : 0;
    return out;
  };
  for (uint32_t bit = 0; bit < 32; ++bit) {
    const uint32_t crc = 1u << bit;
    map[bit] = kTable[crc & 0xff] ^ (crc >> 8);
  }
  for (size_t bytes = 1; bytes < kLane; bytes *= 2) {
    std::array<uint32_t, 32> twice{};
    for (uint32_t bit = 0; bit < 32; ++bit) twice[bit] = apply(map[bit]);
    map = twice;
  }
  Shift shift{};
  for (uint32_t byte = 0; byte < 4; ++byte)
    for (uint32_t value = 0; value < 256; ++value)
      shift[byte][value] = apply(value << (8 * byte));
  return shift;
}
inline constexpr Shift kShift = MakeShift();

inline uint32_t AfterLane(uint32_t crc) {
  return kShift[0][crc & 0xff] ^ kShift[1][(crc >> 8) & 0xff] ^
         kShift[2][(crc >> 16) & 0xff] ^ kShift[3][crc >> 24];
}

#if defined(__x86_64__)
inline uint64_t Word(const uint8_t* p) {
  uint64_t word;
  std::memcpy(&word, p, 8);
  return word;
}

// The instruction takes three cycles, and one can begin in each: three lanes.
__attribute__((target("sse4.2"))) inline uint32_t Hardware(uint32_t crc,
                                                           const uint8_t* p,
                                                           size_t n) {
  uint64_t wide = crc;
  for (; n >= 3 * kLane; n -= 3 * kLane, p += 3 * kLane) {
    uint64_t second = 0;
    uint64_t third = 0;
    for (size_t i = 0; i < kLane; i += 8) {
      wide = _mm_crc32_u64(wide, Word(p + i));
      second = _mm_crc32_u64(second, Word(p + kLane + i));
      third = _mm_crc32_u64(third, Word(p + 2 * kLane + i));
    }
    wide = AfterLane(static_cast<uint32_t>(wide)) ^ second;
    wide = AfterLane(static_cast<uint32_t>(wide)) ^ third;
  }
  for (; n >= 8; n -= 8, p += 8) wide = _mm_crc32_u64(wide, Word(p));
  crc = static_cast<uint32_t>(wide);
  for (; n != 0; --n, ++p) crc = _mm_crc32_u8(crc, *p);
  return crc;
}
inline bool HasHardware() { return __builtin_cpu_supports("sse4.2") != 0; }
#elif defined(__aarch64__)
__attribute__((target("+crc"))) inline uint32_t Hardware(uint32_t crc,
                                                         const uint8_t* p,
                                                         size_t n) {
  for (; n >= 8; n -= 8, p += 8) {
    uint64_t word;
    std::memcpy(&word, p, 8);
    crc = __builtin_aarch64_crc32cx(crc, word);
  }
  for (; n != 0; --n, ++p) crc = __builtin_aarch64_crc32cb(crc, *p);
  return crc;
}
inline bool HasHardware() {
  constexpr unsigned long kHwcapCrc32 = 1ul << 7;
  return (getauxval(AT_HWCAP) & kHwcapCrc32) != 0;
}
#else
inline uint32_t Hardware(uint32_t crc, const uint8_t* p, size_t n) {
  return Portable(crc, p, n);
}
inline bool HasHardware() { return false; }
#endif

}  // namespace crc32c_detail

// CRC-32C of `n` bytes, going on from `seed` (the CRC of what came before).
inline uint32_t Crc32c(const void* data, size_t n, uint32_t seed = 0) {
  const auto* p = static_cast<const uint8_t*>(data);
  static const bool hardware = crc32c_detail::HasHardware();
  const uint32_t crc = hardware ? crc32c_detail::Hardware(~seed, p, n)
                                : crc32c_detail::Portable(~seed, p, n);
  return ~crc;
}

}  // namespace stepscope::format
