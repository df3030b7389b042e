// SPDX-License-Identifier: Apache-2.0
#include "collector/thread.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <new>

#include "collector/clock.h"
#include "collector/core.h"
#include "collector/nvtx_emitter.h"
#include "collector/signal_frame.h"
#include "collector/sync.h"

extern "C" {
STEPSCOPE_API __thread stepscope_thread_v1 stepscope_thread_local_v1
    __attribute__((tls_model("initial-exec")));
}

namespace stepscope::collector {

__thread EnteredMark entered_mark;

namespace {

using format::Slot;
using format::ThreadEntry;

// States are carved from mapped slabs and reused, never unmapped. Anybody may
// add to the list; one at a time takes from it, so that what it looks at stays
// there. Nobody waits: a thread's first event must not depend on whether
// another one has a processor.
std::atomic<ThreadState*> free_states{nullptr};
std::atomic<bool> taking{false};
constexpr uint32_t kSlabStates = 16;

pthread_key_t exit_key;
pthread_once_t exit_key_once = PTHREAD_ONCE_INIT;
std::atomic<bool> exit_key_made{false};

void StoreU64(uint64_t* where, uint64_t value) {
  __atomic_store_n(where, value, __ATOMIC_RELAXED);
}

// Each counter has one thread that writes, but its signal handlers write, too:
// one may come between a load and a store.
void Increment(uint64_t* counter) {
  __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

// Leaves session and ring, as far as they still exist. The caller goes out of
// line for its next event.
void Detach(ThreadHot* hot, ThreadState* state, bool exiting) {
  // First, so that handlers are turned away: the inline code of one that comes
  // after the cursor was read would take slots behind it, which the next thread
  // takes as well.
  hot->generation = 0;
  __asm__ volatile("" ::: "memory");
  const Slot* cursor = hot->cur < hot->end ? hot->cur : hot->end;
  hot->cur = nullptr;
  hot->end = nullptr;
  Ring& ring = core.ring;
  if (state->generation != 0 && state->ring_serial == ring.serial()) {
    if (state->has_chunk) {
      if (exiting && stepscope_gate() == state->generation)
        ring.Park(
            state->map, state->chunk,
            static_cast<uint32_t>(cursor - state->map.slots(state->chunk)));
      else
        ring.Leave(state->map, state->chunk);
    }
    state->lagging.LeaveAll(state->map);
    ThreadEntry* entry = state->map.entry(state->entry);
    StoreU64(&entry->exit_tick, Now());
    __atomic_store_n(&entry->state,
                     static_cast<uint32_t>(format::ThreadState::kExited),
                     __ATOMIC_RELEASE);
    ring.DropHolder();
  }
  state->has_chunk = false;
  state->lagging.count = 0;
  state->generation = 0;
}

// True where a signal is blocked that the thread took before, as the one is
// whose handler runs; the stack tells a program that blocks more by itself.
bool MayBeInHandler(ThreadState* state, uint64_t blocked) {
  const uint64_t more = blocked & ~state->blocked_signals;
  state->blocked_signals &= blocked;
  if (more == 0) return false;
  if (RunsHandler(more)) return true;
  state->blocked_signals |= more;
  return false;
}

// Hands the thread's chunk over to the writer; `used` slots of it are taken. Or
// keeps it aside if a handler runs: then a begin or an end may have been
// interrupted that is still to store into it. Slots that are taken but not
// filled tell of a begin even where the handler blocks no signal. False: it can
// neither be handed over nor kept aside.
bool HandOver(ThreadState* state, uint32_t used, uint64_t blocked) {
  const Slot* slots = state->map.slots(state->chunk);
  bool interrupted = MayBeInHandler(state, blocked);
  for (uint32_t i = used > 4 ? used - 4 : 0; i < used; ++i)
    interrupted |= __atomic_load_n(&slots[i].begin, __ATOMIC_RELAXED) == 0;
  if (interrupted) {
    if (!state->lagging.Add(state->map, state->chunk, used)) return false;
  } else {
    state->lagging.LeaveAll(state->map);
    core.ring.Leave(state->map, state->chunk);
  }
  state->has_chunk = false;
  return true;
}

void Free(ThreadState* state) {
  ThreadState* head = free_states.load(std::memory_order_relaxed);
  do {
    state->next_free = head;
  } while (!free_states.compare_exchange_weak(
      head, state, std::memory_order_release, std::memory_order_relaxed));
}

// Null if the list is empty. REQUIRES: `taking` is this thread's.
ThreadState* TakeFree() {
  ThreadState* head = free_states.load(std::memory_order_acquire);
  while (head != nullptr &&
         !free_states.compare_exchange_weak(head, head->next_free,
                                            std::memory_order_acquire,
                                            std::memory_order_acquire)) {
  }
  return head;
}

// A new one; the others of `count` are for the list. Null if memory is refused.
ThreadState* MapStates(uint32_t count) {
  void* slab = mmap(nullptr, count * sizeof(ThreadState),
                    PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (slab == MAP_FAILED) return nullptr;
  auto* states = static_cast<ThreadState*>(slab);
  for (uint32_t i = 1; i < count; ++i) Free(&states[i]);
  return states;
}

// ThreadSanitizer takes its own hold of a thread down in the last round.
#if defined(__SANITIZE_THREAD__)
constexpr int kLastRound = PTHREAD_DESTRUCTOR_ITERATIONS - 1;
#else
constexpr int kLastRound = PTHREAD_DESTRUCTOR_ITERATIONS;
#endif

// Runs in each round of the thread's key destructors and acts in the last one,
// so that events in other destructors are still recorded.
void OnThreadExit(void* argument) {
  auto* state = static_cast<ThreadState*>(argument);
  if (++state->exit_rounds < kLastRound) {
    pthread_setspecific(exit_key, state);
    return;
  }
  ThreadHot* hot = &stepscope_thread_local_v1;
  hot->busy = kGone;
  __asm__ volatile("" ::: "memory");
  Detach(hot, state, true);
  hot->state = nullptr;
  Free(state);
}

void MakeExitKey() {
  if (pthread_key_create(&exit_key, OnThreadExit) == 0)
    exit_key_made.store(true, std::memory_order_release);
}

ThreadState* Allocate() {
  ThreadState* state = nullptr;
  const bool mine = !taking.exchange(true, std::memory_order_acquire);
  if (mine) {
    state = TakeFree();
    taking.store(false, std::memory_order_release);
  }
  if (state == nullptr) state = MapStates(mine ? kSlabStates : 1);
  if (state != nullptr) new (state) ThreadState;  // leaves the cache as it is
  return state;
}

// Gives `state` a chunk to go on in; false: none is free.
bool TakeChunk(ThreadHot* hot, ThreadState* state, uint32_t gate) {
  Ring& ring = core.ring;
  const uint32_t seq = state->runs;
  uint32_t used = 0;
  // Threads that come and go share chunks; a thread's second chunk is its own.
  uint32_t index = Ring::kNone;
  if (seq == 0) index = ring.AcquireParked(state->map, gate, 64);
  if (index != Ring::kNone) {
    used = state->map.chunk(index)->used;
  } else {
    index = ring.Acquire(state->map, gate, state->uid, seq, state->entry);
    if (index == Ring::kNone || ring.Crowded()) core.writer_sleeper.Hurry();
    if (index == Ring::kNone) return false;
  }
  state->chunk = index;
  state->has_chunk = true;
  ++state->runs;
  StoreU64(&state->map.entry(state->entry)->runs, state->runs);
  Slot* slots = state->map.slots(index);
  if (used > 0) {
    // The slots up to here belong to threads that exited.
    const format::OwnerPayload owner{state->uid, seq, state->entry, 0};
    Slot* slot = slots + used;
    stepscope_name_slot(slot, format::SideSite(format::SideKind::kOwner, 1));
    __atomic_store_n(&slot->begin, Now(), __ATOMIC_RELAXED);
    std::memcpy(slot + 1, &owner, sizeof(owner));
    __asm__ volatile("" ::: "memory");
    __atomic_store_n(&slot->dur, 1u, __ATOMIC_RELAXED);
    used += 2;
  }
  hot->cur = slots + used;
  hot->end = slots + format::kSlotsPerChunk;
  return true;
}

}  // namespace

ThreadState* StateOf(ThreadHot* hot) {
  if (hot->state != nullptr) return static_cast<ThreadState*>(hot->state);
  const SignalsHeld held;
  pthread_once(&exit_key_once, MakeExitKey);
  ThreadState* state = Allocate();
  if (state == nullptr) return nullptr;
  hot->state = state;
  if (exit_key_made.load(std::memory_order_acquire))
    pthread_setspecific(exit_key, state);
  return state;
}

bool Attach(ThreadHot* hot, ThreadState* state, uint32_t gate) {
  const SignalsHeld held;
  Detach(hot, state, false);
  Ring& ring = core.ring;
  ring.AddHolder();
  // After this the ring stays mapped; before it, the session may have ended.
  if (GateAcquire() != gate) {
    ring.DropHolder();
    return false;
  }
  const uint32_t index = ring.AcquireEntry();
  if (index == Ring::kNone) {
    ring.DropHolder();
    return false;
  }
  state->tid = static_cast<uint32_t>(syscall(SYS_gettid));
  // A thread's first event may be a handler's: what is blocked outside of it is
  // then not known, and nothing is taken for granted.
  state->blocked_signals = RunsHandler(held.before()) ? 0 : held.before();
  if (!state->name_set) prctl(PR_GET_NAME, state->name);
  state->ring_serial = ring.serial();
  state->map = ring.map();
  state->entry = index;
  state->uid = ring.NextUid();
  state->runs = 0;
  ThreadEntry* entry = state->map.entry(index);
  ThreadEntry fresh{};
  fresh.uid = state->uid;
  fresh.tid = state->tid;
  fresh.generation = gate;
  fresh.attach_tick = Now();
  std::memcpy(fresh.name, state->name, sizeof(fresh.name));
  std::memcpy(entry, &fresh, sizeof(fresh));
  __atomic_store_n(&entry->state,
                   static_cast<uint32_t>(format::ThreadState::kLive),
                   __ATOMIC_RELEASE);
  state->generation = gate;
  return true;
}

// A chunk with room for `count` slots more. No handler runs meanwhile.
bool ChangeChunk(ThreadHot* hot, ThreadState* state, uint32_t gate) {
  const SignalsHeld held;
  if (state->has_chunk) {
    const Slot* slots = state->map.slots(state->chunk);
    const Slot* cursor = hot->cur < hot->end ? hot->cur : hot->end;
    const auto used = static_cast<uint32_t>(cursor - slots);
    if (!HandOver(state, used, held.before())) return false;
  }
  hot->cur = hot->end = nullptr;
  return TakeChunk(hot, state, gate);
}

Slot* TakeSlots(ThreadHot* hot, ThreadState* state, uint32_t gate,
                uint32_t count) {
  // A handler that records from here on must go out of line, where it is
  // turned away.
  hot->generation = 0;
  __asm__ volatile("" ::: "memory");
  // A thread that slept here may find its ring taken down.
  if (state->ring_serial != core.ring.serial()) return nullptr;
  if ((!state->has_chunk || hot->cur > hot->end ||
       hot->end - hot->cur < static_cast<ptrdiff_t>(count)) &&
      !ChangeChunk(hot, state, gate)) {
    // The cursor of a chunk that is used up: inline code that was interrupted
    // may still move it.
    hot->cur = hot->end;
    return nullptr;
  }
  Slot* slot = hot->cur;
  hot->cur = slot + count;
  __asm__ volatile("" ::: "memory");
  // Where the counter is unusable, or somebody else must hear of it, every
  // event takes this path.
  if (CounterUsable() && !EmitsNvtx()) hot->generation = gate;
  return slot;
}

// A handler leaves the frames alone that it runs on top of. Once they are gone,
// the next calls use that part of the stack, unless it is gone as well.
bool WasLeftByJump() {
  // Looked at less and less: a handler may record thousands of events.
  const uint32_t refused = ++entered_mark.refused;
  if ((refused & (refused - 1)) != 0) return false;
  uint64_t mark = 0;
  if (!ReadOwnMemory(entered_mark.where, &mark, sizeof(mark)))
    return errno == EFAULT;
  return mark != MarkAt(entered_mark.where);
}

void CountDrop(ThreadState* state, uint32_t reason, bool side) {
  ThreadEntry* entry = state->map.entry(state->entry);
  Increment(side ? &entry->side_dropped : &entry->dropped[reason]);
}

void CountUnattachedDrop(uint32_t reason, bool side) {
  Ring& ring = core.ring;
  ring.AddHolder();
  const uint32_t gate = GateAcquire();
  const RingMap map = ring.map();
  // The map belongs together if the session went on meanwhile.
  if (gate != 0 && GateAcquire() == gate) {
    ThreadEntry* entry = map.entry(0);
    __atomic_fetch_add(side ? &entry->side_dropped : &entry->dropped[reason], 1,
                       __ATOMIC_RELAXED);
  }
  ring.DropHolder();
}

void SetThreadName(ThreadHot* hot, const char* name) {
  ThreadState* state = StateOf(hot);
  if (state == nullptr || name == nullptr) return;
  char text[format::kThreadNameBytes] = {};
  std::strncpy(text, name, sizeof(text) - 1);
  std::memcpy(state->name, text, sizeof(text));
  state->name_set = true;
  if (state->generation != 0 && state->ring_serial == core.ring.serial())
    std::memcpy(state->map.entry(state->entry)->name, text, sizeof(text));
}

void ResetThreadsAfterFork() {
  taking.store(false, std::memory_order_relaxed);
  // Only the forking thread is here, and it is in nobody's session.
  auto* state = static_cast<ThreadState*>(stepscope_thread_local_v1.state);
  stepscope_thread_local_v1.generation = 0;
  if (stepscope_thread_local_v1.busy == kInside)
    stepscope_thread_local_v1.busy = kOutside;
  if (state == nullptr) return;
  state->generation = 0;
  state->has_chunk = false;
  state->lagging.count = 0;
  state->ring_serial = 0;
}

}  // namespace stepscope::collector
