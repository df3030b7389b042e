// SPDX-License-Identifier: Apache-2.0
//
// What a thread of the user's program carries: its place in the ring and a
// cache of names. All functions act on the calling thread and run with its
// `busy` flag set, so that a signal handler which records meanwhile is turned
// away (and counted) instead of entering twice.
#pragma once

#include <stepscope/c.h>

#include <cstdint>

#include "collector/ring.h"
#include "format/live_file.h"
#include "format/slot.h"

namespace stepscope::collector {

using ThreadHot = stepscope_thread_v1;

// Values of ThreadHot::busy.
inline constexpr uint32_t kOutside = 0;
inline constexpr uint32_t kInside = 1;
inline constexpr uint32_t kGone = 2;  // after the thread's own teardown

struct NameCacheEntry {
  const char* name;  // as the caller gave it; verified by content at each hit
  const format::NameRecord* record;
};

// Chunks of a thread that are used up. A begin or an end that a signal handler
// interrupted may still store into them (lagging_chunks.cc).
struct LaggingChunks {
  static constexpr uint32_t kMost = 16;
  struct Chunk {
    uint32_t index;
    uint32_t used;  // slots that were taken
    int64_t since_ns;
    bool lacks_begin;
  };
  uint32_t count = 0;
  Chunk chunks[kMost] = {};

  // Hands all over to the writer.
  void LeaveAll(const RingMap& map);
  // Takes a chunk in, or hands it over if nothing can be stored into it any
  // more. False: there is no room, and what is here may still be needed.
  bool Add(const RingMap& map, uint32_t index, uint32_t used);
};

struct ThreadState {
  uint64_t ring_serial = 0;  // ring that chunk and entry belong to
  RingMap map;               // where it is mapped
  uint32_t generation = 0;   // session attached to; 0: none
  uint32_t chunk = 0;
  uint32_t entry = 0;
  uint32_t uid = 0;
  uint32_t runs = 0;
  uint32_t tid = 0;
  uint64_t blocked_signals = 0;  // outside of handlers (thread.cc)
  bool has_chunk = false;
  LaggingChunks lagging;
  bool name_set = false;
  bool has_error = false;
  int exit_rounds = 0;
  ThreadState* next_free = nullptr;
  char name[format::kThreadNameBytes] = {};
  // Not cleared when a new thread takes the state over: hits are verified.
  static constexpr uint32_t kSetBits = 8;
  static constexpr uint32_t kSets = 1u << kSetBits;
  static constexpr uint32_t kWays = 4;
  NameCacheEntry cache[kSets][kWays];
  // Why the thread's last call failed (error.h); last, so that a thread whose
  // calls succeed never touches its page.
  static constexpr uint32_t kErrorBytes = 512;
  char error[kErrorBytes];
};

// The call that is inside, or about to be.
struct EnteredMark {
  uintptr_t where;   // of its mark, on the stack
  uint32_t refused;  // calls since then
};
constexpr uint64_t MarkAt(uintptr_t where) {
  return where ^ 0x9e3779b97f4a7c15u;
}
extern __thread EnteredMark entered_mark
    __attribute__((tls_model("initial-exec")));

// A call is refused. True if the one that is inside was left by a jump out of a
// signal handler, and will not come back.
bool WasLeftByJump();

// Guards one call into the collector on this thread.
//
// A handler that finds the thread busy must find the mark of the call that it
// interrupts, or it would take that call for one that was left by a jump, and
// enter on top of it: both would then move the cursor. So the mark is in place
// before the thread is busy, and stays until it no longer is. A handler that
// comes before or after finds the thread not busy, enters, and leaves `where`
// as it found it.
class Entered {
 public:
  // Turned away: a handler that interrupted the collector, or the inline code
  // between reading the cursor and moving it; either would share its slot.
  explicit Entered(ThreadHot* hot)
      : hot_(hot),
        ok_(hot->busy == kOutside && hot->generation != STEPSCOPE_TAKING_SLOT) {
    if (STEPSCOPE_UNLIKELY(!ok_)) {
      ok_ = hot->busy == kInside && WasLeftByJump();
      if (!ok_) return;
    }
    const auto where = reinterpret_cast<uintptr_t>(&mark_);
    before_ = entered_mark.where;
    mark_ = MarkAt(where);
    entered_mark.where = where;
    entered_mark.refused = 0;
    __asm__ volatile("" ::: "memory");
    hot_->busy = kInside;
    __asm__ volatile("" ::: "memory");
  }
  ~Entered() {
    if (!ok_) return;
    __asm__ volatile("" ::: "memory");
    if (hot_->busy == kInside) hot_->busy = kOutside;
    __asm__ volatile("" ::: "memory");
    entered_mark.where = before_;
  }
  Entered(const Entered&) = delete;
  Entered& operator=(const Entered&) = delete;
  bool ok() const { return ok_; }

 private:
  ThreadHot* hot_;
  volatile uint64_t mark_ = 0;
  uintptr_t before_ = 0;
  bool ok_;
};

// The calling thread's state, made on first use; null when there is no memory.
ThreadState* StateOf(ThreadHot* hot);

// Makes the thread part of session `gate`. False: no room for more threads or
// the session is over. The thread has no chunk yet.
bool Attach(ThreadHot* hot, ThreadState* state, uint32_t gate);

// `count` (<= 256) slots in a row, or null: no chunk is free. REQUIRES:
// attached to `gate`.
format::Slot* TakeSlots(ThreadHot* hot, ThreadState* state, uint32_t gate,
                        uint32_t count);

// Counts an event (or side record) of this thread that is not recorded.
// REQUIRES: attached.
void CountDrop(ThreadState* state, uint32_t reason, bool side);
// The same where no thread entry is at hand: goes to entry 0.
void CountUnattachedDrop(uint32_t reason, bool side);

void SetThreadName(ThreadHot* hot, const char* name);

void ResetThreadsAfterFork();

}  // namespace stepscope::collector
