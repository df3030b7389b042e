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

// Bit i: whether byte i of a block is a quote, a backslash.
struct Found {
  uint64_t quotes = 0;
  uint64_t backslashes = 0;
};

#if defined(__SSE2__)
Found FindIn(const char* block) {
  const __m128i quote = _mm_set1_epi8('"');
  const __m128i backslash = _mm_set1_epi8('\\');
  const auto mask = [](__m128i part, __m128i wanted) {
    return uint64_t{
        static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(part, wanted)))};
  };
  Found found;
  for (size_t i = 0; i < kBlock; i += 16) {
    const __m128i part =
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(block + i));
    found.quotes |= mask(part, quote) << i;
    found.backslashes |= mask(part, backslash) << i;
  }
  return found;
}
#else
Found FindIn(const char* block) {
  Found found;
  for (size_t i = 0; i < kBlock; ++i) {
    found.quotes |= uint64_t{block[i] == '"'} << i;
    found.backslashes |= uint64_t{block[i] == '\\'} << i;
  }
  return found;
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
    const auto [quotes, backslashes] = FindIn(text.data() + at);
    if (escaped || backslashes != 0) {
      step(at + kBlock);
      continue;
    }
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
