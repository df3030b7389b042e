// SPDX-License-Identifier: Apache-2.0
#include "base/lz.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <memory>

namespace stepscope {
namespace {

constexpr size_t kMinMatch = 4;
constexpr size_t kMaxDistance = 65535;
constexpr size_t kTableBits = 12;
// LZ4's end rule: a match begins at least 12 bytes before the end, so that
// eight bytes can be loaded at every place that is looked at, and the last 5
// bytes are literals.
constexpr size_t kTail = 12;
constexpr size_t kLastLiterals = 5;
constexpr size_t kNibble = 15;

uint64_t Load64(const uint8_t* p) {
  uint64_t word;
  std::memcpy(&word, p, sizeof word);
  return word;
}
uint32_t Load32(const uint8_t* p) {
  uint32_t word;
  std::memcpy(&word, p, sizeof word);
  return word;
}

// Of five bytes: shorter repetitions rarely pay in JSON.
size_t Bucket(const uint8_t* p) {
  return static_cast<size_t>((Load64(p) << 24) * 0x9e3779b97f4a7c15u >>
                             (64 - kTableBits));
}

size_t CommonBytes(const uint8_t* a, const uint8_t* b, const uint8_t* end) {
  const uint8_t* const first = a;
  while (end - a >= 8) {
    const uint64_t differs = Load64(a) ^ Load64(b);
    if (differs != 0) {
      const int bit = std::endian::native == std::endian::little
                          ? std::countr_zero(differs)
                          : std::countl_zero(differs);
      return static_cast<size_t>(a - first) + static_cast<size_t>(bit) / 8;
    }
    a += 8;
    b += 8;
  }
  while (a < end && *a == *b) ++a, ++b;
  return static_cast<size_t>(a - first);
}

uint8_t* PutMore(uint8_t* out, size_t value) {
  for (; value >= 255; value -= 255) *out++ = 255;
  *out++ = static_cast<uint8_t>(value);
  return out;
}

uint8_t* PutLiterals(uint8_t* out, const uint8_t* from, size_t count,
                     size_t match_code) {
  *out++ = static_cast<uint8_t>(std::min(count, kNibble) << 4 |
                                std::min(match_code, kNibble));
  if (count >= kNibble) out = PutMore(out, count - kNibble);
  if (count > 0) std::memcpy(out, from, count);
  return out + count;
}

}  // namespace

std::vector<uint8_t> LzPack(std::span<const uint8_t> plain) {
  const size_t size = plain.size();
  // Not cleared, and given back whole: only the result is worth its pages.
  const std::unique_ptr<uint8_t[]> packed(new uint8_t[size + size / 255 + 16]);
  const uint8_t* const begin = plain.data();
  uint8_t* out = packed.get();
  size_t anchor = 0;  // first byte that no sequence holds yet
  if (size > kTail) {
    uint32_t table[size_t{1} << kTableBits] = {};
    const size_t limit = size - kTail;
    const uint8_t* const match_end = begin + size - kLastLiterals;
    size_t at = 1;
    while (at < limit) {
      uint32_t& slot = table[Bucket(begin + at)];
      const size_t candidate = slot;
      slot = static_cast<uint32_t>(at);
      if (at - candidate > kMaxDistance ||
          Load32(begin + candidate) != Load32(begin + at)) {
        // The longer nothing repeats, the larger the steps.
        at += 1 + ((at - anchor) >> 6);
        continue;
      }
      const size_t length =
          kMinMatch + CommonBytes(begin + at + kMinMatch,
                                  begin + candidate + kMinMatch, match_end);
      const size_t code = length - kMinMatch;
      out = PutLiterals(out, begin + anchor, at - anchor, code);
      const size_t distance = at - candidate;
      *out++ = static_cast<uint8_t>(distance);
      *out++ = static_cast<uint8_t>(distance >> 8);
      if (code >= kNibble) out = PutMore(out, code - kNibble);
      at += length;
      anchor = at;
      if (at < limit)
        table[Bucket(begin + at - 2)] = static_cast<uint32_t>(at - 2);
    }
  }
  out = PutLiterals(out, begin + anchor, size - anchor, 0);
  return {packed.get(), out};
}

bool LzUnpack(std::span<const uint8_t> packed, std::span<uint8_t> plain) {
  const uint8_t* in = packed.data();
  const uint8_t* const in_end = in + packed.size();
  uint8_t* out = plain.data();
  uint8_t* const out_end = out + plain.size();
  const auto more = [&](size_t& value) {
    while (in < in_end) {
      const uint8_t byte = *in++;
      value += byte;
      if (byte != 255) return true;
    }
    return false;
  };
  while (in < in_end) {
    const uint8_t token = *in++;
    size_t literals = token >> 4;
    if (literals == kNibble && !more(literals)) return false;
    if (literals > static_cast<size_t>(in_end - in) ||
        literals > static_cast<size_t>(out_end - out))
      return false;
    if (literals > 0) std::memcpy(out, in, literals);
    in += literals;
    out += literals;
    if (in == in_end) break;
    if (in_end - in < 2) return false;
    const size_t distance = in[0] | size_t{in[1]} << 8;
    in += 2;
    size_t length = token & kNibble;
    if (length == kNibble && !more(length)) return false;
    length += kMinMatch;
    if (distance == 0 || distance > static_cast<size_t>(out - plain.data()) ||
        length > static_cast<size_t>(out_end - out))
      return false;
    const uint8_t* from = out - distance;
    if (distance >= length) {
      std::memcpy(out, from, length);
      out += length;
    } else {
      for (; length > 0; --length) *out++ = *from++;
    }
  }
  return out == out_end;
}

bool IsLz4Block(std::span<const uint8_t> packed, size_t plain_size) {
  size_t at = 0;
  size_t done = 0;  // bytes of the plain text
  const auto more = [&](size_t& value) {
    uint8_t byte = 255;
    while (byte == 255 && at < packed.size()) value += byte = packed[at++];
  };
  size_t last_match = 0;
  bool any_match = false;
  while (at < packed.size()) {
    const uint8_t token = packed[at++];
    size_t literals = token >> 4;
    if (literals == kNibble) more(literals);
    at += literals;
    done += literals;
    if (at >= packed.size()) {
      return at == packed.size() && done == plain_size &&
             (!any_match ||
              (literals >= kLastLiterals && plain_size - last_match >= kTail));
    }
    at += 2;
    size_t length = token & kNibble;
    if (length == kNibble) more(length);
    last_match = done;
    any_match = true;
    done += length + kMinMatch;
  }
  return false;  // ends in a match
}

}  // namespace stepscope
