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

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) inline uint32_t Hardware(uint32_t crc,
                                                           const uint8_t* p,
                                                           size_t n) {
  uint64_t wide = crc;
  for (; n >= 8; n -= 8, p += 8) {
    uint64_t word;
    std::memcpy(&word, p, 8);
    wide = _mm_crc32_u64(wide, word);
  }
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
