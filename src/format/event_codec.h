// SPDX-License-Identifier: Apache-2.0
//
// Packs the slots of a chunk into 4 to 8 bytes an event and back, exactly.
//
//   packed  = item* zero[16]                   the zeros let the decoder read
//   item    = event | special                  whole words without a bound test
//   event   = control delta dur site
//     control, from bit 0: 2 bits length of delta - 1, 2 bits length of dur
//     - 1, 2 bits site (0: as the event before, 1: 1 byte, 2: 2 bytes, 3: 4
//     bytes), bits 6 and 7 zero
//     delta: begin minus the begin before (or EventsHeader::base_tick)
//     dur: Slot::dur as it stands (0: open)
//   special = 0x40 count:u32                   unused slots
//           | 0x41 delta:i64                   added to the begin before
//           | 0x42 header:slot payload:slot*   a side record, as it stands
//
// All numbers little-endian. Worked bytes: docs/formats/capture.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "format/block.h"
#include "format/slot.h"

namespace stepscope::format {

inline constexpr size_t kPackedTail = 16;
inline constexpr uint8_t kPackedGap = 0x40;
inline constexpr uint8_t kPackedJump = 0x41;
inline constexpr uint8_t kPackedSide = 0x42;

// Room that EncodeSlots may need for `slots` slots.
constexpr size_t MaxPackedBytes(size_t slots) {
  return slots * 24 + kPackedTail + 32;
}

struct PackedCounts {
  uint32_t events = 0;
  uint32_t side_records = 0;
  size_t bytes = 0;
};

namespace codec_detail {

inline uint32_t ByteLength(uint32_t v) {
  return v == 0 ? 1u : (39u - static_cast<uint32_t>(__builtin_clz(v))) / 8u;
}

// Every store is one word; the caller's room includes the spill.
inline uint8_t* Put32(uint8_t* out, uint32_t v, uint32_t length) {
  std::memcpy(out, &v, 4);
  return out + length;
}

struct Lengths {
  uint8_t delta, dur, site, total;
};
constexpr std::array<Lengths, 64> MakeLengths() {
  std::array<Lengths, 64> table{};
  for (uint32_t c = 0; c < 64; ++c) {
    const auto delta = static_cast<uint8_t>((c & 3) + 1);
    const auto dur = static_cast<uint8_t>(((c >> 2) & 3) + 1);
    constexpr uint8_t kSite[4] = {0, 1, 2, 4};
    const uint8_t site = kSite[c >> 4];
    table[c] = {delta, dur, site,
                static_cast<uint8_t>(1 + delta + dur + site)};
  }
  return table;
}
inline constexpr std::array<Lengths, 64> kLengths = MakeLengths();
inline constexpr uint32_t kMask[5] = {0, 0xff, 0xffff, 0xffffff, 0xffffffff};

inline uint32_t Get32(const uint8_t* p) {
  uint32_t v;
  std::memcpy(&v, p, 4);
  return v;
}

}  // namespace codec_detail

// Packs `count` slots into `out` (MaxPackedBytes(count) bytes of room). A side
// record that a kill cut short is kept as it stands. Slots are read with
// relaxed loads: a straggler of a stopped session may still store into them.
inline PackedCounts EncodeSlots(const Slot* slots, uint32_t count,
                                uint64_t base, uint8_t* out) {
  namespace d = codec_detail;
  PackedCounts counts;
  uint8_t* const start = out;
  uint64_t before = base;
  uint32_t last_site = 0;
  for (uint32_t i = 0; i < count;) {
    const uint64_t begin = __atomic_load_n(&slots[i].begin, __ATOMIC_RELAXED);
    if (begin == 0) {
      uint32_t gap = i;
      while (i < count &&
             __atomic_load_n(&slots[i].begin, __ATOMIC_RELAXED) == 0)
        ++i;
      if (i == count) break;  // the rest of the chunk is unused
      gap = i - gap;
      *out++ = kPackedGap;
      out = d::Put32(out, gap, 4);
      continue;
    }
    const uint32_t site = __atomic_load_n(&slots[i].site, __ATOMIC_RELAXED);
    if (IsSide(site)) {
      uint32_t n = SidePayloadSlots(site);
      if (n > count - i - 1) n = count - i - 1;
      *out++ = kPackedSide;
      std::memcpy(out, &slots[i], (n + 1) * sizeof(Slot));
      out += (n + 1) * sizeof(Slot);
      ++counts.side_records;
      i += n + 1;
      continue;
    }
    uint64_t delta = begin - before;
    if (delta > 0xffffffffu) {  // long pause, or a handler's slot out of order
      *out++ = kPackedJump;
      std::memcpy(out, &delta, 8);
      out += 8;
      delta = 0;
    }
    before = begin;
    const uint32_t dur = __atomic_load_n(&slots[i].dur, __ATOMIC_RELAXED);
    const uint32_t delta_length = d::ByteLength(static_cast<uint32_t>(delta));
    const uint32_t dur_length = d::ByteLength(dur);
    const uint32_t code = site == last_site ? 0u
                          : site < 0x100    ? 1u
                          : site < 0x10000  ? 2u
                                            : 3u;
    last_site = site;
    *out++ = static_cast<uint8_t>((delta_length - 1) | ((dur_length - 1) << 2) |
                                  (code << 4));
    out = d::Put32(out, static_cast<uint32_t>(delta), delta_length);
    out = d::Put32(out, dur, dur_length);
    out = d::Put32(out, site, code == 3 ? 4 : code);
    ++counts.events;
    ++i;
  }
  std::memset(out, 0, kPackedTail);
  counts.bytes = static_cast<size_t>(out - start) + kPackedTail;
  return counts;
}

// Unpacks into `sink`:
//   sink.Event(slot_index, begin, dur, site)
//   sink.Side(slot_index, header, payload, payload_slots)
// Returns false where the bytes are not what EncodeSlots writes; what was read
// before that point has been delivered. Never reads outside [p, p + n).
template <typename Sink>
bool DecodeSlots(const uint8_t* p, size_t n, const EventsHeader& header,
                 Sink&& sink) {
  namespace d = codec_detail;
  if (n < kPackedTail) return false;
  const uint8_t* const end = p + (n - kPackedTail);
  uint64_t before = header.base_tick;
  uint32_t site = 0;
  uint64_t slot = header.first_slot;
  const uint64_t slot_end = slot + header.slots;
  while (p < end) {
    const uint32_t control = *p;
    if (control < 64) {
      const d::Lengths length = d::kLengths[control];
      before += d::Get32(p + 1) & d::kMask[length.delta];
      const uint32_t dur =
          d::Get32(p + 1 + length.delta) & d::kMask[length.dur];
      if (length.site != 0)
        site = d::Get32(p + 1 + length.delta + length.dur) &
               d::kMask[length.site];
      p += length.total;
      if (p > end || slot >= slot_end) return false;
      sink.Event(static_cast<uint32_t>(slot++), before, dur, site);
    } else if (control == kPackedSide) {
      if (static_cast<size_t>(end - p) < 1 + sizeof(Slot)) return false;
      Slot head;
      std::memcpy(&head, p + 1, sizeof(head));
      p += 1 + sizeof(Slot);
      const uint64_t want = SidePayloadSlots(head.site);
      const uint64_t room = static_cast<uint64_t>(end - p) / sizeof(Slot);
      // Fewer than stated only where a kill cut the record short.
      const uint64_t left = slot_end > slot + 1 ? slot_end - slot - 1 : 0;
      const uint64_t have = want < left ? want : left;
      if (slot >= slot_end || room < have || !IsSide(head.site)) return false;
      sink.Side(static_cast<uint32_t>(slot), head, p,
                static_cast<uint32_t>(have));
      p += have * sizeof(Slot);
      slot += have + 1;
    } else if (control == kPackedGap) {
      if (end - p < 5) return false;
      slot += d::Get32(p + 1);
      p += 5;
    } else if (control == kPackedJump) {
      if (end - p < 9) return false;
      uint64_t delta;
      std::memcpy(&delta, p + 1, 8);
      before += delta;
      p += 9;
    } else {
      return false;
    }
  }
  return p == end;
}

}  // namespace stepscope::format
