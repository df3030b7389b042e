// SPDX-License-Identifier: Apache-2.0
//
// Packs the slots of a chunk into 4 to 8 bytes an event, exactly.
// event_unpack.h is the way back.
//
//   packed  = data zero[16] control*           the zeros let a decoder read
//   item    = event | special                  whole words without a bound test
//   event   : control c, data delta dur site
//     c, from bit 0: 2 bits length of delta - 1 (3 at most), 2 bits length of
//     dur - 1, 2 bits site (0: 0 bytes, 1: 1, 2: 2, 3: 4), bits 6 and 7 zero
//     delta: begin minus the begin before (or EventsHeader::base_tick)
//     dur: Slot::dur as it stands (0: open)
//     site: the site before (at first 0) xor this one
//   special : 0x40, data count:u32             unused slots
//           | 0x41, data delta:i64             added to the begin before
//           | 0x42, data header:slot payload:slot*  a side record, as it stands
//
// Data and controls of the items stand apart, so that a decoder knows where
// the next items are before it has taken this one apart. In version 1 each
// control stands in front of its data, a delta has up to 4 bytes, and a site
// is either the one before (code 0) or given as it is:
// packed = (control data)* zero[16].
//
// All numbers little-endian. Worked bytes: docs/formats/capture.md.
#pragma once

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

// A slot takes up to 20 bytes of data and two controls.
inline constexpr size_t kMaxSlotBytes = 20;
inline constexpr size_t kMaxSlotControls = 2;

// Room that EncodeSlots may need for `slots` slots.
constexpr size_t MaxPackedBytes(size_t slots) {
  return slots * (kMaxSlotBytes + kMaxSlotControls) + kPackedTail + 32;
}

struct PackedCounts {
  uint32_t events = 0;
  uint32_t side_records = 0;
  uint32_t controls = 0;
  size_t bytes = 0;  // data, zeros and controls
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

}  // namespace codec_detail

// Packs `count` slots into `out` (MaxPackedBytes(count) bytes of room). A side
// record that a kill cut short is kept as it stands. Slots are read with
// relaxed loads: a straggler of a stopped session may still store into them.
inline PackedCounts EncodeSlots(const Slot* slots, uint32_t count,
                                uint64_t base, uint8_t* out) {
  namespace d = codec_detail;
  PackedCounts counts;
  uint8_t* const start = out;
  // At the end of the room, until it is known where the data ends.
  uint8_t* const controls =
      out + MaxPackedBytes(count) - count * kMaxSlotControls;
  uint8_t* control = controls;
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
      *control++ = kPackedGap;
      out = d::Put32(out, gap, 4);
      continue;
    }
    const uint32_t site = __atomic_load_n(&slots[i].site, __ATOMIC_RELAXED);
    if (IsSide(site)) {
      uint32_t n = SidePayloadSlots(site);
      if (n > count - i - 1) n = count - i - 1;
      *control++ = kPackedSide;
      std::memcpy(out, &slots[i], (n + 1) * sizeof(Slot));
      out += (n + 1) * sizeof(Slot);
      ++counts.side_records;
      i += n + 1;
      continue;
    }
    uint64_t delta = begin - before;
    if (delta > 0xffffffu) {  // long pause, or a handler's slot out of order
      *control++ = kPackedJump;
      std::memcpy(out, &delta, 8);
      out += 8;
      delta = 0;
    }
    before = begin;
    const uint32_t dur = __atomic_load_n(&slots[i].dur, __ATOMIC_RELAXED);
    const uint32_t delta_length = d::ByteLength(static_cast<uint32_t>(delta));
    const uint32_t dur_length = d::ByteLength(dur);
    const uint32_t change = site ^ last_site;
    const uint32_t code = change == 0        ? 0u
                          : change < 0x100   ? 1u
                          : change < 0x10000 ? 2u
                                             : 3u;
    last_site = site;
    *control++ = static_cast<uint8_t>((delta_length - 1) |
                                      ((dur_length - 1) << 2) | (code << 4));
    out = d::Put32(out, static_cast<uint32_t>(delta), delta_length);
    out = d::Put32(out, dur, dur_length);
    out = d::Put32(out, change, code == 3 ? 4 : code);
    ++counts.events;
    ++i;
  }
  std::memset(out, 0, kPackedTail);
  out += kPackedTail;
  counts.controls = static_cast<uint32_t>(control - controls);
  std::memmove(out, controls, counts.controls);
  counts.bytes = static_cast<size_t>(out - start) + counts.controls;
  return counts;
}

}  // namespace stepscope::format
