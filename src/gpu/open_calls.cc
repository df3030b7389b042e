// SPDX-License-Identifier: Apache-2.0
#include "gpu/open_calls.h"

namespace stepscope::gpu {

// An entry of an earlier generation may be taken over: by its thread or by
// another, whichever is first.
OpenCalls::Thread* OpenCalls::Find(uint32_t thread, bool claim) {
  const uint32_t now = generation_.load(std::memory_order_relaxed);
  const uint64_t mine = uint64_t{now} << 32 | thread;
  for (uint32_t i = 0; i < kThreads; ++i) {
    Thread& entry = threads_[(thread + i) % kThreads];
    uint64_t owner = entry.owner.load(std::memory_order_acquire);
    if (owner == mine) return &entry;
    if (owner >> 32 == now) continue;  // another thread's
    if (!claim) return nullptr;
    if (!entry.owner.compare_exchange_strong(owner, mine)) continue;
    entry.depth = 0;
    return &entry;
  }
  return nullptr;
}

void OpenCalls::Enter(uint32_t thread, uint32_t correlation, bool driver,
                      uint64_t start) {
  Thread* entry = Find(thread, true);
  const uint32_t epoch = epoch_.load(std::memory_order_relaxed);
  if (entry != nullptr && entry->epoch != epoch) {
    entry->epoch = epoch;
    entry->depth = 0;
  }
  if (entry == nullptr || entry->depth == kDepth) {
    lost_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  if (driver && entry->depth > 0 &&
      entry->open[entry->depth - 1].correlation == correlation)
    return;
  entry->open[entry->depth++] = {correlation, driver, start};
}

uint32_t OpenCalls::Innermost(uint32_t thread) {
  const Thread* entry = Find(thread, false);
  if (entry == nullptr || entry->depth == 0 ||
      entry->epoch != epoch_.load(std::memory_order_relaxed))
    return 0;
  return entry->open[entry->depth - 1].correlation;
}

uint64_t OpenCalls::Leave(uint32_t thread, uint32_t correlation, bool driver) {
  Thread* entry = Find(thread, false);
  if (entry == nullptr) return 0;
  // Those above it, if any, ended unseen.
  for (uint32_t depth = entry->depth; depth > 0; --depth) {
    const Open& open = entry->open[depth - 1];
    if (open.correlation != correlation) continue;
    if (open.driver != driver) return 0;
    entry->depth = depth - 1;
    return open.start;
  }
  return 0;
}

}  // namespace stepscope::gpu
