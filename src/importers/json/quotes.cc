// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cstring>

#include "importers/json/tokens.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace stepscope::json {
namespace {

constexpr size_t kBlock = 64;

// Bit i: whether byte i of the block is `wanted`.
#if defined(__SSE2__)
uint64_t Find(const char* block, char wanted) {
  const __m128i value = _mm_set1_epi8(wanted);
  uint64_t bits = 0;
  for (size_t i = 0; i < kBlock; i += 16) {
    const __m128i part =
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(block + i));
    const auto mask = static_cast<unsigned>(
        _mm_movemask_epi8(_mm_cmpeq_epi8(part, value)));
    bits |= uint64_t{mask} << i;
  }
  return bits;
}
#else
uint64_t Find(const char* block, char wanted) {
  uint64_t bits = 0;
  for (size_t i = 0; i < kBlock; ++i)
    bits |= uint64_t{block[i] == wanted} << i;
  return bits;
}
#endif

}  // namespace

size_t OutsideOfStrings(std::string_view text) {
  bool quoted = false;
  bool escaped = false;  // the byte before was a backslash in force
  size_t last_quote = 0;
  size_t at = 0;
  const auto step = [&](size_t end) {
    for (; at < end; ++at) {
      if (escaped) {
        escaped = false;
      } else if (text[at] == '\\') {
        // Outside of strings too, as simdjson has it.
        escaped = true;
      } else if (text[at] == '"') {
        quoted = !quoted;
        last_quote = at;
      }
    }
  };
  while (text.size() - at >= kBlock) {
    const char* const block = text.data() + at;
    if (escaped || Find(block, '\\') != 0) {
      step(at + kBlock);
      continue;
    }
    const uint64_t quotes = Find(block, '"');
    if (quotes != 0) {
      quoted ^= (std::popcount(quotes) & 1) != 0;
      last_quote =
          at + kBlock - 1 - static_cast<size_t>(std::countl_zero(quotes));
    }
    at += kBlock;
  }
  step(text.size());
  return quoted ? last_quote : text.size();
}

}  // namespace stepscope::json
