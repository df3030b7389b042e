// SPDX-License-Identifier: Apache-2.0
#include "inject/nvtx_ranges.h"

#include <atomic>

namespace stepscope::inject::nvtx {
namespace {

constexpr uint32_t kDepth = 128;

struct Stack {
  uint32_t size = 0;
  uint32_t beyond = 0;  // pushed when it was full
  OpenRange ranges[kDepth] = {};
};
thread_local constinit Stack stack;

constexpr uint32_t kSlotBits = 13;
constexpr uint32_t kSlots = 1u << kSlotBits;
constexpr uint32_t kTries = 64;
constexpr uint64_t kBusy = ~uint64_t{0};  // being filled or emptied

struct Slot {
  std::atomic<uint64_t> id{0};  // 0: free
  OpenRange range = {};
};
constinit Slot slots[kSlots];
std::atomic<uint64_t> started{1};

std::atomic<int64_t> without_room{0};

void CountWithoutRoom() {
  stepscope_counter_i64("NVTX ranges not recorded, for want of room",
                        without_room.fetch_add(1) + 1);
}

int LevelOf(const Domain* domain) {
  int level = -1;
  for (uint32_t i = 0; i < stack.size; ++i)
    level += stack.ranges[i].domain == domain ? 1 : 0;
  return level;
}

}  // namespace

bool HasRoomToPush() {
  if (stack.size < kDepth) return true;
  ++stack.beyond;
  CountWithoutRoom();
  return false;
}

int PushRange(const OpenRange& range) {
  stack.ranges[stack.size++] = range;
  return LevelOf(range.domain);
}

int PopRange(const Domain* domain, OpenRange* range) {
  if (stack.beyond > 0) {
    --stack.beyond;
    return -1;
  }
  uint32_t at = stack.size;
  while (at > 0 && stack.ranges[at - 1].domain != domain) --at;
  if (at == 0) return -1;
  const int level = LevelOf(domain);
  *range = stack.ranges[at - 1];
  for (; at < stack.size; ++at) stack.ranges[at - 1] = stack.ranges[at];
  --stack.size;
  return level;
}

uint64_t ReservePlace() {
  const uint64_t number = started.fetch_add(1, std::memory_order_relaxed);
  for (uint32_t i = 0; i < kTries; ++i) {
    const auto at = static_cast<uint32_t>((number + i) % kSlots);
    uint64_t free = 0;
    if (!slots[at].id.compare_exchange_strong(free, kBusy,
                                              std::memory_order_acquire))
      continue;
    return (number << kSlotBits) | at;
  }
  CountWithoutRoom();
  return 0;
}

void KeepRange(uint64_t place, const OpenRange& range) {
  Slot& slot = slots[place % kSlots];
  slot.range = range;
  slot.id.store(place, std::memory_order_release);
}

bool TakeRange(uint64_t place, OpenRange* range) {
  if (place == 0 || place == kBusy) return false;
  Slot& slot = slots[place % kSlots];
  if (!slot.id.compare_exchange_strong(place, kBusy, std::memory_order_acquire))
    return false;
  *range = slot.range;
  slot.id.store(0, std::memory_order_release);
  return true;
}

// Started ranges stay: ending one of the parent's finds a scope that belongs
// to no session of the child, which the collector ignores.
void ForgetRangesInForkedChild() {
  for (uint32_t i = 0; i < stack.size; ++i)
    stack.ranges[i].scope = {nullptr, 0};
}

}  // namespace stepscope::inject::nvtx
