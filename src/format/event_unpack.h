// SPDX-License-Identifier: Apache-2.0
//
// Unpacks what event_codec.h packs, of this version and the one before. Events
// come in batches of plain columns: the loop that takes them apart has nothing
// else to do, and what a reader does with them can use whole vectors.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "format/block.h"
#include "format/event_codec.h"
#include "format/slot.h"

namespace stepscope::format {

// Events of consecutive slots.
struct EventBatch {
  static constexpr uint32_t kRows = 256;

  uint32_t count = 0;
  uint64_t base = 0;     // tick
  uint32_t from[kRows];  // begin - base; ascending
  uint32_t dur[kRows];   // Slot::dur
  uint32_t site[kRows];
};

namespace codec_detail {

// How to take apart an event with some control.
struct EventShape {
  uint32_t delta_mask, dur_mask, site_mask;
  uint8_t dur_at, site_at, bytes;
};
inline constexpr uint32_t kMaxEventBytes = 12;

constexpr std::array<EventShape, 64> MakeShapes() {
  std::array<EventShape, 64> table{};
  constexpr uint32_t kMask[5] = {0, 0xff, 0xffff, 0xffffff, 0xffffffff};
  constexpr uint8_t kSite[4] = {0, 1, 2, 4};
  for (uint32_t c = 0; c < 64; ++c) {
    const auto delta = static_cast<uint8_t>((c & 3) + 1);
    const auto dur = static_cast<uint8_t>(((c >> 2) & 3) + 1);
    const uint8_t site = kSite[c >> 4];
    const auto site_at = static_cast<uint8_t>(delta + dur);
    table[c] = {kMask[delta], kMask[dur], kMask[site],
                delta,        site_at,    static_cast<uint8_t>(site_at + site)};
  }
  return table;
}
inline constexpr std::array<EventShape, 64> kShapes = MakeShapes();

inline uint32_t Get32(const uint8_t* p) {
  uint32_t v;
  std::memcpy(&v, p, 4);
  return v;
}

// Where a decoder is: in the data, in time, among the names.
struct Cursor {
  const uint8_t* p;
  uint64_t tick;
  uint32_t site;
};

// The events of controls [first, n).
inline void UnpackEach(const uint8_t* control, uint32_t first, uint32_t n,
                       Cursor& at, EventBatch& batch) {
  const uint8_t* p = at.p;
  auto from = static_cast<uint32_t>(at.tick - batch.base);
  uint32_t site = at.site;
  for (uint32_t i = first; i < n; ++i) {
    const EventShape& shape = kShapes[control[i]];
    from += Get32(p) & shape.delta_mask;
    site ^= Get32(p + shape.site_at) & shape.site_mask;
    batch.from[i] = from;
    batch.dur[i] = Get32(p + shape.dur_at) & shape.dur_mask;
    batch.site[i] = site;
    p += shape.bytes;
  }
  at = {p, batch.base + from, site};
}

#if defined(__x86_64__)
// By control: which bytes of the data go where in {delta, dur, site, 0}.
struct alignas(16) Spread {
  uint8_t from[16];
};
constexpr std::array<Spread, 64> MakeSpreads() {
  std::array<Spread, 64> table{};
  for (uint32_t c = 0; c < 64; ++c) {
    const EventShape& shape = kShapes[c];
    const uint32_t begin[5] = {0, shape.dur_at, shape.site_at, shape.bytes,
                               shape.bytes};
    for (uint32_t i = 0; i < 16; ++i) {
      const uint32_t at = begin[i / 4] + i % 4;
      table[c].from[i] =
          at < begin[i / 4 + 1] ? static_cast<uint8_t>(at) : uint8_t{0x80};
    }
  }
  return table;
}
inline constexpr std::array<Spread, 64> kSpreads = MakeSpreads();

#define STEPSCOPE_UNPACK_AVX2 __attribute__((target("avx2"))) inline

// Two stretches of 16 bytes.
STEPSCOPE_UNPACK_AVX2 __m256i Both(const void* low, const void* high) {
  return _mm256_inserti128_si256(
      _mm256_castsi128_si256(_mm_loadu_si128(static_cast<const __m128i*>(low))),
      _mm_loadu_si128(static_cast<const __m128i*>(high)), 1);
}
// The last of the lower four values, four times, above zeros.
STEPSCOPE_UNPACK_AVX2 __m256i Carry(__m256i v) {
  return _mm256_shuffle_epi32(_mm256_permute2x128_si256(v, v, 0x08), 0xff);
}
STEPSCOPE_UNPACK_AVX2 void Store(uint32_t* out, __m256i values) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), values);
}

// The events of controls [0, n), as far as they come in eights. Returns how
// many that is.
STEPSCOPE_UNPACK_AVX2 uint32_t UnpackEights(const uint8_t* control, uint32_t n,
                                            Cursor& at, EventBatch& batch) {
  const __m256i last = _mm256_set1_epi32(7);
  const __m256i in_turn = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
  __m256i from = _mm256_set1_epi32(static_cast<int32_t>(at.tick - batch.base));
  __m256i site = _mm256_set1_epi32(static_cast<int32_t>(at.site));
  const uint8_t* p = at.p;
  // {delta, dur, site, 0} of the next two.
  const auto take = [&p](const uint8_t* c) __attribute__((target("avx2"))) {
    const uint8_t* const second = p + kShapes[c[0]].bytes;
    const __m256i bytes = Both(p, second);
    p = second + kShapes[c[1]].bytes;
    return _mm256_shuffle_epi8(bytes,
                               Both(kSpreads[c[0]].from, kSpreads[c[1]].from));
  };
  uint32_t i = 0;
  for (; i + 8 <= n; i += 8) {
    const __m256i e01 = take(control + i);
    const __m256i e23 = take(control + i + 2);
    const __m256i e45 = take(control + i + 4);
    const __m256i e67 = take(control + i + 6);
    const __m256i low = _mm256_unpacklo_epi32(e01, e23);
    const __m256i high = _mm256_unpacklo_epi32(e45, e67);
    // The even ones, then the odd ones: in turn again.
    __m256i deltas =
        _mm256_permutevar8x32_epi32(_mm256_unpacklo_epi64(low, high), in_turn);
    const __m256i durs =
        _mm256_permutevar8x32_epi32(_mm256_unpackhi_epi64(low, high), in_turn);
    __m256i sites = _mm256_permutevar8x32_epi32(
        _mm256_unpacklo_epi64(_mm256_unpackhi_epi32(e01, e23),
                              _mm256_unpackhi_epi32(e45, e67)),
        in_turn);
    // Running sum of the deltas, running difference of the sites.
    deltas = _mm256_add_epi32(deltas, _mm256_slli_si256(deltas, 4));
    deltas = _mm256_add_epi32(deltas, _mm256_slli_si256(deltas, 8));
    from = _mm256_add_epi32(from, _mm256_add_epi32(deltas, Carry(deltas)));
    sites = _mm256_xor_si256(sites, _mm256_slli_si256(sites, 4));
    sites = _mm256_xor_si256(sites, _mm256_slli_si256(sites, 8));
    site = _mm256_xor_si256(site, _mm256_xor_si256(sites, Carry(sites)));
    Store(batch.from + i, from);
    Store(batch.dur + i, durs);
    Store(batch.site + i, site);
    from = _mm256_permutevar8x32_epi32(from, last);
    site = _mm256_permutevar8x32_epi32(site, last);
  }
  at = {p, batch.base + static_cast<uint32_t>(_mm256_cvtsi256_si32(from)),
        static_cast<uint32_t>(_mm256_cvtsi256_si32(site))};
  return i;
}
#undef STEPSCOPE_UNPACK_AVX2
#endif

// Version 2: controls apart from data.
class Split {
 public:
  Split(const uint8_t* control, const uint8_t* control_end)
      : control_(control), control_end_(control_end) {}

  bool HasMore(const Cursor&, const uint8_t*) const {
    return control_ < control_end_;
  }
  uint32_t Special(Cursor&) { return *control_++; }

  // Events from here on: `most` at most, none that begins beyond `end`.
  uint32_t Unpack(Cursor& at, const uint8_t* end, uint32_t most,
                  EventBatch& batch) {
    // So many can be read without asking after each.
    const ptrdiff_t room = std::min<ptrdiff_t>(
        control_end_ - control_, (end - at.p) / kMaxEventBytes + 1);
    const uint32_t n =
        Plain(static_cast<uint32_t>(std::min<ptrdiff_t>(most, room)));
    uint32_t done = 0;
#if defined(__x86_64__)
    static const bool wide = __builtin_cpu_supports("avx2") != 0;
    if (wide) done = UnpackEights(control_, n, at, batch);
#endif
    UnpackEach(control_, done, n, at, batch);
    control_ += n;
    return n;
  }

 private:
  // How many of the next controls are events', `most` at most.
  uint32_t Plain(uint32_t most) const {
    constexpr uint64_t kSpecial = 0xc0c0c0c0c0c0c0c0u;
    constexpr uint64_t kLowBits = 0x0101010101010101u;
    uint32_t n = 0;
    for (uint64_t word; n + 8 <= most; n += 8) {
      std::memcpy(&word, control_ + n, 8);
      if (((word & kSpecial) | (word & (word >> 1) & kLowBits)) != 0) break;
    }
    while (n < most && control_[n] < 64 && (control_[n] & 3) != 3) ++n;
    return n;
  }

  const uint8_t* control_;
  const uint8_t* control_end_;
};

// Version 1: a control in front of the data of each item.
struct Interleaved {
  bool HasMore(const Cursor& at, const uint8_t* end) const {
    return at.p < end;
  }
  uint32_t Special(Cursor& at) { return *at.p++; }

  uint32_t Unpack(Cursor& at, const uint8_t* end, uint32_t most,
                  EventBatch& batch) {
    uint32_t n = 0;
    for (; n < most && at.p < end && *at.p < 64; ++n) {
      const uint8_t* const data = at.p + 1;
      const EventShape& shape = kShapes[*at.p];
      const uint32_t delta = Get32(data) & shape.delta_mask;
      const uint64_t from = at.tick + delta - batch.base;
      if (from > UINT32_MAX) break;  // n > 0: the next batch starts nearer
      if (shape.site_mask != 0)
        at.site = Get32(data + shape.site_at) & shape.site_mask;
      at.tick += delta;
      batch.from[n] = static_cast<uint32_t>(from);
      batch.dur[n] = Get32(data + shape.dur_at) & shape.dur_mask;
      batch.site[n] = at.site;
      at.p = data + shape.bytes;
    }
    return n;
  }
};

template <typename Layout, typename Sink>
bool Unpack(Layout layout, const uint8_t* p, const uint8_t* end,
            const EventsHeader& header, Sink& sink) {
  Cursor at = {p, header.base_tick, 0};
  uint64_t slot = header.first_slot;
  const uint64_t slot_end = slot + header.slots;
  EventBatch batch;
  while (layout.HasMore(at, end)) {
    const uint64_t room = slot < slot_end ? slot_end - slot : 0;
    batch.base = at.tick;
    batch.count = layout.Unpack(
        at, end,
        static_cast<uint32_t>(std::min<uint64_t>(room, EventBatch::kRows)),
        batch);
    if (batch.count > 0) {
      // What reaches beyond the end is no event.
      if (at.p > end) --batch.count;
      if (batch.count > 0) sink.Events(static_cast<uint32_t>(slot), batch);
      slot += batch.count;
      if (at.p > end) return false;
      continue;
    }
    const uint32_t control = layout.Special(at);
    const auto left = static_cast<size_t>(end - at.p);
    if (control == kPackedSide) {
      if (left < sizeof(Slot) || room == 0) return false;
      Slot head;
      std::memcpy(&head, at.p, sizeof(head));
      at.p += sizeof(Slot);
      // Fewer than stated only where a kill cut the record short.
      const uint64_t have =
          std::min<uint64_t>(SidePayloadSlots(head.site), room - 1);
      if (left / sizeof(Slot) <= have || !IsSide(head.site)) return false;
      sink.Side(static_cast<uint32_t>(slot), head, at.p,
                static_cast<uint32_t>(have));
      at.p += have * sizeof(Slot);
      slot += have + 1;
    } else if (control == kPackedGap && left >= 4) {
      slot += Get32(at.p);
      at.p += 4;
    } else if (control == kPackedJump && left >= 8) {
      uint64_t delta;
      std::memcpy(&delta, at.p, 8);
      at.tick += delta;
      at.p += 8;
    } else {
      return false;  // also an event beyond the last slot
    }
  }
  return at.p == end;
}

}  // namespace codec_detail

// Unpacks the payload of a block of `version` (1 or 2) behind its header into
// `sink`:
//   sink.Events(slot_index, batch)
//   sink.Side(slot_index, header, payload, payload_slots)
// Returns false where the bytes are not what EncodeSlots writes; what was read
// before that point has been delivered. Never reads outside [p, p + n).
template <typename Sink>
bool DecodeSlots(const uint8_t* p, size_t n, const EventsHeader& header,
                 uint16_t version, Sink&& sink) {
  namespace d = codec_detail;
  const size_t controls = version == 1 ? 0 : header.controls;
  if (n < kPackedTail || n - kPackedTail < controls) return false;
  const uint8_t* const end = p + (n - kPackedTail - controls);
  if (version == 1) return d::Unpack(d::Interleaved(), p, end, header, sink);
  return d::Unpack(d::Split(end + kPackedTail, p + n), p, end, header, sink);
}

}  // namespace stepscope::format
