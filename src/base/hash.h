// SPDX-License-Identifier: Apache-2.0
//
// A 64-bit hash of bytes: one widening multiplication per 8 bytes. The value
// is the same on every machine, so that it can join strings across files. Not
// for keeping adversaries out.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace stepscope {

// High and low half of the product, folded.
inline uint64_t MixHash(uint64_t a, uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

// The bytes [p + size - rest, p + size), 1 to 7 of them, as a number; low bytes
// first. Loads that overlap instead of a copy of `rest` bytes, which would be a
// call.
inline uint64_t HashTail(const char* p, size_t size, size_t rest) {
  const auto load = [](const char* at, auto value) {
    std::memcpy(&value, at, sizeof(value));
    return value;
  };
  const char* const end = p + size;
  if (size >= 8) return load(end - 8, uint64_t{}) >> (8 * (8 - rest));
  if (rest >= 4)
    return load(p, uint32_t{}) |
           static_cast<uint64_t>(load(end - 4, uint32_t{})) << (8 * (rest - 4));
  const auto byte = [p](size_t i) {
    return static_cast<uint64_t>(static_cast<unsigned char>(p[i])) << (8 * i);
  };
  return byte(0) | byte(rest / 2) | byte(rest - 1);
}

inline uint64_t Hash64(std::string_view text) {
  constexpr uint64_t kSeed = 0x9e3779b97f4a7c15u;  // 2^64 / golden ratio
  constexpr uint64_t kOdd = 0xd1342543de82ef95u;
  const char* p = text.data();
  size_t left = text.size();
  uint64_t hash = kSeed ^ left;
  for (; left >= 8; left -= 8, p += 8) {
    uint64_t word;
    std::memcpy(&word, p, 8);
    hash = MixHash(hash ^ word, kOdd) + kSeed;
  }
  const uint64_t word = left > 0 ? HashTail(text.data(), text.size(), left) : 0;
  return MixHash(hash ^ word, kOdd ^ text.size());
}

}  // namespace stepscope
