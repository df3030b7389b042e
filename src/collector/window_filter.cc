// SPDX-License-Identifier: Apache-2.0
#include "collector/window_filter.h"

#include <cstring>

namespace stepscope::collector {
namespace {

using format::SideKind;
using format::Slot;
using format::SlotRef;

template <typename T>
T Load(const void* from) {
  T value;
  std::memcpy(&value, from, sizeof(value));
  return value;
}

// Slots of the side record at `i`, its header included; a kill may have cut it
// short.
uint32_t SideSlots(const Slot* slots, uint32_t i, uint32_t count) {
  const uint32_t n = 1 + format::SidePayloadSlots(slots[i].site);
  return n < count - i ? n : count - i;
}

bool KeepsSide(const Slot* record, uint32_t n, uint64_t from,
               const LateEnds& ends) {
  const SideKind kind = format::SideKindOf(record->site);
  const bool has_ref =
      n >= 2 && (kind == SideKind::kLateEnd || kind == SideKind::kArg);
  if (!has_ref) return record->begin >= from;
  const auto ref = Load<SlotRef>(record + 1);
  if (kind == SideKind::kLateEnd)
    return !ends.EndedBefore(ref.position, ref.begin, from);
  return record->begin >= from || ref.begin >= from;
}

bool KeepsEvent(const Slot& slot, uint32_t position, uint64_t from,
                const LateEnds& ends) {
  if (slot.begin >= from) return true;
  if (slot.dur == STEPSCOPE_DUR_INSTANT) return false;
  if (slot.dur == 0) return !ends.EndedBefore(position, slot.begin, from);
  return slot.begin + slot.dur - 1 >= from;
}

// When a record was over; UINT64_MAX: it has no time and stays.
uint64_t EndOf(uint16_t kind, const uint8_t* record) {
  switch (kind) {
    case STEPSCOPE_RECORD_WORK:
      return Load<stepscope_record_work>(record).end;
    case STEPSCOPE_RECORD_CALL:
      return Load<stepscope_record_call>(record).end;
    case STEPSCOPE_RECORD_WAIT:
      return Load<stepscope_record_wait>(record).end;
    case STEPSCOPE_RECORD_MEMORY:
      return Load<stepscope_record_memory>(record).tick;
    case STEPSCOPE_RECORD_OVERHEAD:
      return Load<stepscope_record_overhead>(record).end;
    case STEPSCOPE_RECORD_SAMPLE:
      return Load<stepscope_record_sample>(record).end;
    default:
      return UINT64_MAX;
  }
}

// The least that a record of a kind that has a time, or is joined, must have.
size_t LeastBytes(uint16_t kind) {
  switch (kind) {
    case STEPSCOPE_RECORD_WORK:
      return sizeof(stepscope_record_work);
    case STEPSCOPE_RECORD_CALL:
      return sizeof(stepscope_record_call);
    case STEPSCOPE_RECORD_WAIT:
      return sizeof(stepscope_record_wait);
    case STEPSCOPE_RECORD_MEMORY:
      return sizeof(stepscope_record_memory);
    case STEPSCOPE_RECORD_OVERHEAD:
      return sizeof(stepscope_record_overhead);
    case STEPSCOPE_RECORD_SAMPLE:
      return sizeof(stepscope_record_sample);
    case STEPSCOPE_RECORD_NOTE:
      return sizeof(stepscope_record_note);
    default:
      return sizeof(stepscope_record_head);
  }
}

// Calls `visit(kind, record, bytes)` for each whole record; returns how many
// bytes they take.
template <typename Visit>
size_t ForEachRecord(const uint8_t* records, size_t bytes, Visit visit) {
  size_t at = 0;
  while (bytes - at >= sizeof(stepscope_record_head)) {
    const auto head = Load<stepscope_record_head>(records + at);
    if (head.bytes < LeastBytes(head.kind) || head.bytes > bytes - at) break;
    visit(head.kind, records + at, size_t{head.bytes});
    at += head.bytes;
  }
  return at;
}

bool KeepsRecord(uint16_t kind, const uint8_t* record,
                 const DeviceWindow& window) {
  switch (kind) {
    case STEPSCOPE_RECORD_STATS:
    case STEPSCOPE_RECORD_CLOCK:
      return window.keep_counts;
    case STEPSCOPE_RECORD_NOTE:
      return Load<stepscope_record_note>(record).correlation >=
             window.first_call;
    default:
      return EndOf(kind, record) >= window.from;
  }
}

}  // namespace

void CollectLateEnds(const Slot* slots, uint32_t count, LateEnds* ends,
                     uint64_t block) {
  for (uint32_t i = 0; i < count; ++i) {
    if (slots[i].begin == 0 || !format::IsSide(slots[i].site)) continue;
    const uint32_t n = SideSlots(slots, i, count);
    if (format::SideKindOf(slots[i].site) == SideKind::kLateEnd && n >= 2 &&
        slots[i].dur != 0)
      ends->Add(Load<SlotRef>(slots + i + 1), slots[i].begin, block);
    i += n - 1;
  }
}

void CollectOpenEvents(const Slot* slots, uint32_t count,
                       uint32_t first_position, uint64_t block,
                       LateEnds* ends) {
  for (uint32_t i = 0; i < count; ++i) {
    if (slots[i].begin == 0) continue;
    if (format::IsSide(slots[i].site))
      i += SideSlots(slots, i, count) - 1;
    else if (slots[i].dur == 0)
      ends->AddBegin(first_position + i, slots[i].begin, block);
  }
}

void KeepWindowSlots(Slot* slots, uint32_t count, uint32_t first_position,
                     const TickWindow& window, const LateEnds& ends) {
  for (uint32_t i = 0; i < count;) {
    if (slots[i].begin == 0) {
      ++i;
      continue;
    }
    const bool side = format::IsSide(slots[i].site);
    const uint32_t n = side ? SideSlots(slots, i, count) : 1;
    const bool keeps =
        side ? KeepsSide(slots + i, n, window.from, ends)
             : KeepsEvent(slots[i], first_position + i, window.from, ends);
    if (!keeps || slots[i].begin > window.until)
      std::memset(slots + i, 0, n * sizeof(Slot));
    i += n;
  }
}

uint64_t FirstKeptCall(const uint8_t* records, size_t bytes, uint64_t from) {
  uint64_t first = UINT64_MAX;
  ForEachRecord(records, bytes,
                [&](uint16_t kind, const uint8_t* record, size_t) {
                  if (kind != STEPSCOPE_RECORD_CALL) return;
                  const auto call = Load<stepscope_record_call>(record);
                  if (call.end >= from && call.correlation < first)
                    first = call.correlation;
                });
  return first;
}

bool HasCounts(const uint8_t* records, size_t bytes) {
  bool has = false;
  ForEachRecord(records, bytes, [&](uint16_t kind, const uint8_t*, size_t) {
    has |= kind == STEPSCOPE_RECORD_STATS;
  });
  return has;
}

bool HasTimeless(const uint8_t* records, size_t bytes) {
  bool has = false;
  ForEachRecord(records, bytes,
                [&](uint16_t kind, const uint8_t* record, size_t) {
                  has |= kind != STEPSCOPE_RECORD_STATS &&
                         kind != STEPSCOPE_RECORD_CLOCK &&
                         EndOf(kind, record) == UINT64_MAX;
                });
  return has;
}

size_t KeepWindowRecords(uint8_t* records, size_t bytes,
                         const DeviceWindow& window, uint32_t* count) {
  size_t kept = 0;
  *count = 0;
  ForEachRecord(records, bytes,
                [&](uint16_t kind, const uint8_t* record, size_t n) {
                  if (!KeepsRecord(kind, record, window)) return;
                  std::memmove(records + kept, record, n);
                  kept += n;
                  ++*count;
                });
  return kept;
}

}  // namespace stepscope::collector
