// SPDX-License-Identifier: Apache-2.0
//
// If a signal handler runs on top of a begin or an end, that one is still to
// store into the chunk when it goes on. Signals that follow each other may keep
// it from that while thousands of their events fill chunk after chunk. Such
// chunks stay with the thread: otherwise the event would be missing without
// being counted, or its end be stored into another event.
#include "collector/clock.h"
#include "collector/core.h"
#include "collector/thread.h"

namespace stepscope::collector {
namespace {

using format::Slot;

// After that long, a begin that has no time was left by a jump.
constexpr int64_t kLongestBeginNs = 1000000000;

struct Lack {
  bool begin = false;  // a slot was taken, but its begin is not stored
  bool end = false;    // an event is open, or its end is not stored
};

Lack LackOf(const Slot* slots, uint32_t used) {
  Lack lack;
  for (uint32_t i = 0; i < used; ++i) {
    const uint32_t site = __atomic_load_n(&slots[i].site, __ATOMIC_RELAXED);
    lack.begin |= __atomic_load_n(&slots[i].begin, __ATOMIC_RELAXED) == 0;
    lack.end |= __atomic_load_n(&slots[i].dur, __ATOMIC_RELAXED) == 0;
    if (format::IsSide(site)) i += format::SidePayloadSlots(site);
  }
  return lack;
}

}  // namespace

void LaggingChunks::LeaveAll(const RingMap& map) {
  for (uint32_t i = 0; i < count; ++i) core.ring.Leave(map, chunks[i].index);
  count = 0;
}

bool LaggingChunks::Add(const RingMap& map, uint32_t index, uint32_t used) {
  const Lack lack = LackOf(map.slots(index), used);
  if (!lack.begin && !lack.end) {
    core.ring.Leave(map, index);
    return true;
  }
  uint32_t kept = 0;
  for (uint32_t i = 0; i < count; ++i) {
    Chunk chunk = chunks[i];
    const Lack left = LackOf(map.slots(chunk.index), chunk.used);
    chunk.lacks_begin = left.begin;
    if (left.begin || left.end)
      chunks[kept++] = chunk;
    else
      core.ring.Leave(map, chunk.index);
  }
  count = kept;
  const int64_t now = MonotonicNs();
  // An open event is ended elsewhere, but for one that is just being ended: the
  // oldest of those is given up first.
  for (uint32_t i = 0; count == kMost && i < count; ++i) {
    if (chunks[i].lacks_begin && now - chunks[i].since_ns < kLongestBeginNs)
      continue;
    core.ring.Leave(map, chunks[i].index);
    for (uint32_t j = i + 1; j < count; ++j) chunks[j - 1] = chunks[j];
    --count;
  }
  if (count == kMost) return false;
  chunks[count++] = {index, used, now, lack.begin};
  return true;
}

}  // namespace stepscope::collector
