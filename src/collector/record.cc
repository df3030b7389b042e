// SPDX-License-Identifier: Apache-2.0
//
// The out-of-line half of recording: a thread's first event, a full chunk, ends
// that do not belong to the current chunk, dynamic names, and everything that
// takes more than one slot. The inline half is in c.h.
#include <stepscope/c.h>

#include <cstring>

#include "collector/clock.h"
#include "collector/core.h"
#include "collector/names.h"
#include "collector/nvtx_emitter.h"
#include "collector/thread.h"
#include "format/slot.h"

namespace stepscope::collector {
namespace {

using format::ArgKind;
using format::SideKind;
using format::Slot;
using format::SlotRef;

constexpr stepscope_scope kNothing = {nullptr, 0};
constexpr size_t kMaxArgText = 3072;
constexpr size_t kMaxArgList = 400;

// The calling thread's state, attached to `gate`; else null, and the loss is
// counted.
ThreadState* Attached(ThreadHot* hot, uint32_t gate, bool side) {
  ThreadState* state = StateOf(hot);
  if (state != nullptr &&
      (state->generation == gate || Attach(hot, state, gate)))
    return state;
  CountUnattachedDrop(STEPSCOPE_DROP_THREADS, side);
  return nullptr;
}

// Slots in a row; counts what cannot be had.
Slot* Take(ThreadHot* hot, uint32_t gate, uint32_t count, bool side) {
  ThreadState* state = Attached(hot, gate, side);
  if (state == nullptr) return nullptr;
  Slot* slots = TakeSlots(hot, state, gate, count);
  if (slots == nullptr) CountDrop(state, STEPSCOPE_DROP_POOL, side);
  return slots;
}

// A thread inside the collector, or past its own teardown, records nothing. All
// that a handler records from now on comes here at once: the inline code would
// move the cursor further and further, into the chunks of others.
void CountTurnedAway(ThreadHot* hot, bool side) {
  if (hot->generation != STEPSCOPE_TAKING_SLOT) hot->generation = 0;
  CountUnattachedDrop(
      hot->busy == kGone ? STEPSCOPE_DROP_EXITED : STEPSCOPE_DROP_REENTRANT,
      side);
}

stepscope_scope Open(ThreadHot* hot, uint32_t gate, uint32_t site,
                     uint32_t dur) {
  Slot* slot = Take(hot, gate, 1, false);
  if (slot == nullptr) return kNothing;
  stepscope_name_slot(slot, site);
  if (dur != 0) __atomic_store_n(&slot->dur, dur, __ATOMIC_RELAXED);
  const uint64_t begin = Now();
  __asm__ volatile("" ::: "memory");
  __atomic_store_n(&slot->begin, begin, __ATOMIC_RELAXED);
  if (EmitsNvtx()) dur == 0 ? EmitBegin(site, slot) : EmitMark(site);
  return {slot, begin};
}

// Stores a side record: header as incomplete, payload, then complete.
// REQUIRES: inside the collector.
void Side(ThreadHot* hot, uint32_t gate, SideKind kind, uint64_t tick,
          uint32_t aux, const void* first, size_t first_bytes,
          const void* second = nullptr, size_t second_bytes = 0) {
  const size_t bytes = first_bytes + second_bytes;
  const auto payload =
      static_cast<uint32_t>((bytes + sizeof(Slot) - 1) / sizeof(Slot));
  Slot* slot = Take(hot, gate, payload + 1, true);
  if (slot == nullptr) return;
  stepscope_name_slot(slot, format::SideSite(kind, payload));
  __asm__ volatile("" ::: "memory");
  __atomic_store_n(&slot->begin, tick, __ATOMIC_RELAXED);
  __asm__ volatile("" ::: "memory");
  auto* out = reinterpret_cast<uint8_t*>(slot + 1);
  std::memcpy(out, first, first_bytes);
  if (second_bytes > 0) std::memcpy(out + first_bytes, second, second_bytes);
  __asm__ volatile("" ::: "memory");
  __atomic_store_n(&slot->dur, aux + 1, __ATOMIC_RELAXED);
}

bool IsInCurrentChunk(const ThreadHot* hot, const Slot* slot) {
  return reinterpret_cast<uintptr_t>(hot->end) -
             reinterpret_cast<uintptr_t>(slot) <=
         format::kChunkBytes;
}

// True if the scope was begun in the session that is recording now: begin
// ticks only grow.
bool BelongsToSession(const stepscope_scope& scope) {
  return scope.begin >= core.start_tick.load(std::memory_order_relaxed);
}

// The cache is keyed by pointer; a hit is verified by content, since the same
// address with other text is normal. A handler that changes the cache during a
// look-up is harmless for the same reason.
NameCacheEntry* CacheSet(ThreadState* state, const char* name) {
  const uint64_t mixed =
      reinterpret_cast<uintptr_t>(name) * 0x9e3779b97f4a7c15u;
  return state->cache[mixed >> (64 - ThreadState::kSetBits)];
}

uint32_t FindCached(ThreadState* state, const char* name, size_t length,
                    uint32_t type) {
  const NameCacheEntry* set = CacheSet(state, name);
  for (uint32_t way = 0; way < ThreadState::kWays; ++way) {
    if (set[way].name == name &&
        NameEquals(set[way].record, name, length, type))
      return set[way].record->id;
  }
  return 0;
}

// REQUIRES: inside the collector.
uint32_t Name(ThreadHot* hot, const char* name, size_t length, uint32_t type) {
  ThreadState* state = StateOf(hot);
  if (state == nullptr || name == nullptr)
    return InternName(name, length, type);
  const uint32_t known = FindCached(state, name, length, type);
  if (known != 0) return known;
  const uint32_t id = InternName(name, length, type);
  if (id == format::kRefusedSite) return id;
  NameCacheEntry* set = CacheSet(state, name);
  std::memmove(set + 1, set, (ThreadState::kWays - 1) * sizeof(*set));
  set[0] = {name, NameRecordOf(id)};
  return id;
}

void Argument(stepscope_scope scope, const char* key, uint32_t aux,
              const void* value, size_t bytes) {
  ThreadHot* hot = &stepscope_thread_local_v1;
  const uint32_t gate = GateAcquire();
  if (gate == 0 || scope.slot == nullptr) return;
  const Entered entered(hot);
  if (!entered.ok()) return CountTurnedAway(hot, true);
  if (!BelongsToSession(scope)) return;
  SlotRef ref{};
  const ThreadState* state = Attached(hot, gate, true);
  if (state == nullptr || !state->map.PositionOf(scope.slot, &ref.position))
    return;
  ref.extra = Name(hot, key, kUnknownLength, STEPSCOPE_USER_DEFINED);
  ref.begin = scope.begin;
  Side(hot, gate, SideKind::kArg, Now(), aux, &ref, sizeof(ref), value, bytes);
}

void Counter(const char* name, ArgKind kind, uint64_t bits) {
  ThreadHot* hot = &stepscope_thread_local_v1;
  const uint32_t gate = GateAcquire();
  if (gate == 0) return;
  const Entered entered(hot);
  if (!entered.ok()) return CountTurnedAway(hot, true);
  const format::CounterPayload payload{
      Name(hot, name, kUnknownLength, STEPSCOPE_USER_DEFINED),
      static_cast<uint32_t>(kind), bits};
  Side(hot, gate, SideKind::kCounter, Now(), 0, &payload, sizeof(payload));
}

}  // namespace
}  // namespace stepscope::collector

using namespace stepscope::collector;  // the C names live outside namespaces

extern "C" {

stepscope_scope stepscope_begin_slow(uint32_t site) noexcept {
  ThreadHot* hot = &stepscope_thread_local_v1;
  const uint32_t gate = GateAcquire();
  if (gate == 0) return kNothing;
  const Entered entered(hot);
  if (!entered.ok()) {
    CountTurnedAway(hot, false);
    return kNothing;
  }
  return Open(hot, gate, site, 0);
}

void stepscope_end_slow(stepscope_scope scope, uint64_t now) noexcept {
  ThreadHot* hot = &stepscope_thread_local_v1;
  const uint32_t gate = GateAcquire();
  if (EmitsNvtx()) EmitEnd(scope.slot);
  if (gate == 0) return;  // the session ended first: "open at stop"
  if (!CounterUsable()) now = Now();
  const Entered entered(hot);
  if (!entered.ok()) return CountTurnedAway(hot, true);
  if (!BelongsToSession(scope)) return;
  if (now < scope.begin) now = scope.begin;  // counters of two cores differ
  const uint64_t dur = now - scope.begin;
  const auto* state = static_cast<const ThreadState*>(hot->state);
  if (state != nullptr && state->generation == gate && state->has_chunk &&
      IsInCurrentChunk(hot, scope.slot) &&
      __atomic_load_n(&scope.slot->begin, __ATOMIC_RELAXED) == scope.begin &&
      dur < STEPSCOPE_DUR_LIMIT) {
    __atomic_store_n(&scope.slot->dur, static_cast<uint32_t>(dur) + 1,
                     __ATOMIC_RELAXED);
    return;
  }
  SlotRef ref{};
  state = Attached(hot, gate, true);
  if (state == nullptr || !state->map.PositionOf(scope.slot, &ref.position))
    return;
  ref.begin = scope.begin;
  Side(hot, gate, SideKind::kLateEnd, now, 0, &ref, sizeof(ref));
}

stepscope_scope stepscope_begin_name(const char* name, size_t length,
                                     uint32_t type) noexcept {
  ThreadHot* hot = &stepscope_thread_local_v1;
  if (stepscope_gate() == 0) return kNothing;
  auto* state = static_cast<ThreadState*>(hot->state);
  uint32_t site = 0;
  if (state != nullptr && name != nullptr)
    site = FindCached(state, name, length, type);
  if (site == 0) {
    const Entered entered(hot);
    if (!entered.ok()) {
      CountTurnedAway(hot, false);
      return kNothing;
    }
    site = Name(hot, name, length, type);
  }
  return stepscope_begin_id(site);
}

stepscope_scope stepscope_begin_site_slow(stepscope_site* site) noexcept {
  const uint32_t id = __atomic_load_n(&site->id, __ATOMIC_RELAXED);
  // The inline code was turned away, or has not tried for want of an id.
  return id != 0 ? stepscope_begin_slow(id)
                 : stepscope_begin_id(stepscope_register_site(site));
}

uint32_t stepscope_register_site(stepscope_site* site) noexcept {
  ThreadHot* hot = &stepscope_thread_local_v1;
  const Entered entered(hot);
  // A handler on top of the collector must not wait for its lock.
  if (!entered.ok()) return stepscope::format::kRefusedSite;
  const uint32_t id = InternName(site->name, kUnknownLength, site->type);
  // What was refused for another reason than want of room is tried again.
  if (id != stepscope::format::kRefusedSite || NamesFull())
    __atomic_store_n(&site->id, id, __ATOMIC_RELAXED);
  return id;
}

void stepscope_instant(const char* name, uint32_t type) noexcept {
  ThreadHot* hot = &stepscope_thread_local_v1;
  const uint32_t gate = GateAcquire();
  if (gate == 0) return;
  const Entered entered(hot);
  if (!entered.ok()) return CountTurnedAway(hot, false);
  Open(hot, gate, Name(hot, name, kUnknownLength, type), STEPSCOPE_DUR_INSTANT);
}

void stepscope_arg_i64(stepscope_scope scope, const char* key,
                       int64_t value) noexcept {
  Argument(scope, key, static_cast<uint32_t>(ArgKind::kI64) | (1u << 8), &value,
           sizeof(value));
}

void stepscope_arg_f64(stepscope_scope scope, const char* key,
                       double value) noexcept {
  Argument(scope, key, static_cast<uint32_t>(ArgKind::kF64) | (1u << 8), &value,
           sizeof(value));
}

void stepscope_arg_text(stepscope_scope scope, const char* key,
                        const char* text, size_t length) noexcept {
  uint32_t aux = static_cast<uint32_t>(ArgKind::kText);
  if (text == nullptr) length = 0;
  if (length > kMaxArgText) {
    length = kMaxArgText;
    aux |= stepscope::format::kArgClipped;
  }
  aux |= static_cast<uint32_t>(length) << 8;
  Argument(scope, key, aux, text, length);
}

void stepscope_arg_i64s(stepscope_scope scope, const char* key,
                        const int64_t* values, size_t count) noexcept {
  uint32_t aux = static_cast<uint32_t>(ArgKind::kI64List);
  if (values == nullptr) count = 0;
  if (count > kMaxArgList) {
    count = kMaxArgList;
    aux |= stepscope::format::kArgClipped;
  }
  aux |= static_cast<uint32_t>(count) << 8;
  Argument(scope, key, aux, values, count * sizeof(int64_t));
}

void stepscope_counter_f64(const char* name, double value) noexcept {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  Counter(name, ArgKind::kF64, bits);
}

void stepscope_counter_i64(const char* name, int64_t value) noexcept {
  Counter(name, ArgKind::kI64, static_cast<uint64_t>(value));
}

void stepscope_memory(uint32_t kind, uint64_t address, uint64_t bytes,
                      const char* place, uint64_t total_allocated,
                      uint64_t total_reserved) noexcept {
  ThreadHot* hot = &stepscope_thread_local_v1;
  const uint32_t gate = GateAcquire();
  if (gate == 0) return;
  const Entered entered(hot);
  if (!entered.ok()) return CountTurnedAway(hot, true);
  const stepscope::format::MemoryPayload payload{
      address,
      bytes,
      total_allocated,
      total_reserved,
      Name(hot, place, kUnknownLength, STEPSCOPE_USER_DEFINED),
      kind,
      0};
  Side(hot, gate, SideKind::kMemory, Now(), 0, &payload, sizeof(payload));
}

void stepscope_flow(const char* name, uint64_t id, uint32_t phase) noexcept {
  ThreadHot* hot = &stepscope_thread_local_v1;
  const uint32_t gate = GateAcquire();
  if (gate == 0) return;
  const Entered entered(hot);
  if (!entered.ok()) return CountTurnedAway(hot, true);
  const stepscope::format::FlowPayload payload{
      id, Name(hot, name, kUnknownLength, STEPSCOPE_USER_DEFINED), phase};
  Side(hot, gate, SideKind::kFlow, Now(), 0, &payload, sizeof(payload));
}

void stepscope_set_thread_name(const char* name) noexcept {
  ThreadHot* hot = &stepscope_thread_local_v1;
  const Entered entered(hot);
  if (entered.ok()) SetThreadName(hot, name);
}

}  // extern "C"
