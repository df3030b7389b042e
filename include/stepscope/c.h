// SPDX-License-Identifier: Apache-2.0
//
// stepscope C API: record what a process does, at the cost of two counter
// reads an event. Everything here may be called from any thread, at any time,
// recording or not; nothing throws, prints or aborts, and no event waits for
// another thread, but that a name's first use may wait for one that is adding a
// name, a second at most if that one gets no processor. Functions that can
// fail return a stepscope_status; stepscope_last_error() says why.
//
// Minimal use:
//
//   stepscope_start(NULL);                       // or stepscope_options
//   stepscope_scope s = stepscope_begin("load", STEPSCOPE_USER_DEFINED);
//   ...work...
//   stepscope_end(s);
//   stepscope_stop();                            // writes <name>.sscap
//
// C++ code uses stepscope.h, which wraps this header in RAII types.
//
// Above 600 lines because the whole C interface (recording, sessions, the
// profiler) is in one file, for whoever includes, reads or binds it.
//
// The section "hot path" is inlined into user code and therefore binary
// interface: its structs and symbols carry a version suffix and never change
// under that suffix.
#pragma once

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__) || defined(__clang__)
#define STEPSCOPE_API __attribute__((visibility("default")))
#define STEPSCOPE_INLINE static inline __attribute__((always_inline, unused))
#define STEPSCOPE_UNLIKELY(x) __builtin_expect(!!(x), 0)
#else
#error "stepscope needs GCC or Clang"
#endif

#ifdef __cplusplus
#define STEPSCOPE_NOEXCEPT noexcept
extern "C" {
#else
#define STEPSCOPE_NOEXCEPT
#endif

// What an event is. Values 0..14 are Paddle's TracerEventType wire values;
// ours start at 32. Stored on disk: never renumber.
enum stepscope_event_type {
  STEPSCOPE_OPERATOR = 0,             // framework operator
  STEPSCOPE_DATALOADER = 1,           // waiting for a batch
  STEPSCOPE_PROFILE_STEP = 2,         // one step, "ProfileStep#<n>"
  STEPSCOPE_CUDA_RUNTIME = 3,         // device API call on the host
  STEPSCOPE_KERNEL = 4,               // device kernel
  STEPSCOPE_MEMCPY = 5,               // device copy
  STEPSCOPE_MEMSET = 6,               // device set
  STEPSCOPE_USER_DEFINED = 7,         // user's C or C++ event
  STEPSCOPE_OPERATOR_INNER = 8,       // phase of an operator
  STEPSCOPE_FORWARD = 9,              // forward pass
  STEPSCOPE_BACKWARD = 10,            // backward pass
  STEPSCOPE_OPTIMIZATION = 11,        // optimizer
  STEPSCOPE_COMMUNICATION = 12,       // collective or point to point
  STEPSCOPE_PYTHON_OP = 13,           // Python-level operator
  STEPSCOPE_PYTHON_USER_DEFINED = 14, // user's Python event
  STEPSCOPE_PYTHON_FUNCTION = 32,     // Python call
  STEPSCOPE_SYNCHRONIZATION = 33,     // host waits for the device
  STEPSCOPE_OVERHEAD = 34,            // cost of profiling itself
  STEPSCOPE_GRAPH_LAUNCH = 35         // device graph as a whole
};

// Outcome of a call. Zero is success.
enum stepscope_status {
  STEPSCOPE_OK = 0,
  STEPSCOPE_BUSY = 1,        // a session is already recording
  STEPSCOPE_NOT_RUNNING = 2, // nothing to stop or wait for
  STEPSCOPE_INVALID = 3,     // an argument makes no sense
  STEPSCOPE_IO = 4,          // file system refused; see stepscope_last_error
  STEPSCOPE_NO_MEMORY = 5,   // the memory budget cannot be had
  STEPSCOPE_TIMEOUT = 6,     // not finished within the given time
  STEPSCOPE_TRUNCATED = 7    // the caller's buffer is too small
};

// Why an event was not recorded. Stored on disk: never renumber.
enum stepscope_drop_reason {
  STEPSCOPE_DROP_POOL = 0,       // all chunks in use: burst beyond the budget
  STEPSCOPE_DROP_REENTRANT = 1,  // signal handler interrupted the recorder
  STEPSCOPE_DROP_THREADS = 2,    // more threads at once than the table holds
  STEPSCOPE_DROP_IO = 3,         // the capture file could not be written
  STEPSCOPE_DROP_FILE_LIMIT = 4, // the capture file reached its bound
  STEPSCOPE_DROP_EXITED = 5,     // thread recorded after its own teardown
  STEPSCOPE_DROP_REASONS = 8     // array size; unused entries stay zero
};

// ---------------------------------------------------------------------------
// Hot path (binary interface, version 1)

// One event in flight. begin == 0: slot unused; dur == 0: still open; dur ==
// STEPSCOPE_DUR_INSTANT: a point in time; otherwise duration + 1 in ticks.
// Begin stores `site` then `begin`; end stores `dur`: at no instant is a slot
// half written, so a process killed at any instruction leaves a readable slot.
struct stepscope_slot_v1 {
  uint64_t begin;
  uint32_t dur;
  uint32_t site;
};

// What the calling thread needs to record: one 32-byte line. The alignment
// must not exceed 32: dlopen refuses larger alignment in static TLS.
struct stepscope_thread_v1 {
  struct stepscope_slot_v1* cur;
  struct stepscope_slot_v1* end;
  uint32_t generation;  // session this thread is attached to
  uint32_t busy;        // inside an out-of-line function of the collector
  void* state;
} __attribute__((aligned(32)));

// Chunks are aligned to their size and begin with a header of 64 bytes, so that
// a slot's own address tells whether the cursor ran past the end of its chunk.
#define STEPSCOPE_CHUNK_BYTES 65536u
#define STEPSCOPE_SLOT_MASK 0xffc0u
// stepscope_thread_v1.generation while the cursor moves; no session has it.
#define STEPSCOPE_TAKING_SLOT 0xffffffffu
#define STEPSCOPE_DUR_LIMIT 0xfffffff0u
#define STEPSCOPE_DUR_INSTANT 0xffffffffu

// The gate is alone on its page(s), which the kernel wipes on fork, so that a
// forked child records nothing until it starts its own session. Word 0 is the
// generation of the running session, 0 when off.
#if defined(__aarch64__)
#define STEPSCOPE_GATE_BYTES 65536
#else
#define STEPSCOPE_GATE_BYTES 4096
#endif
extern STEPSCOPE_API uint32_t stepscope_gate_v1[STEPSCOPE_GATE_BYTES / 4];
extern STEPSCOPE_API __thread struct stepscope_thread_v1
    stepscope_thread_local_v1 __attribute__((tls_model("initial-exec")));

// An open scope: pass it by value to stepscope_end, on any thread, in any
// order. slot == NULL: nothing was begun.
typedef struct stepscope_scope {
  struct stepscope_slot_v1* slot;
  uint64_t begin;
} stepscope_scope;

// A static call site: name and type are interned once, at first use.
typedef struct stepscope_site {
  const char* name;
  uint32_t type;
  uint32_t id;  // 0 until registered
} stepscope_site;

STEPSCOPE_API stepscope_scope stepscope_begin_slow(uint32_t site)
    STEPSCOPE_NOEXCEPT;
STEPSCOPE_API void stepscope_end_slow(stepscope_scope scope, uint64_t now)
    STEPSCOPE_NOEXCEPT;
STEPSCOPE_API stepscope_scope stepscope_begin_name(const char* name,
                                                   size_t length,
                                                   uint32_t type)
    STEPSCOPE_NOEXCEPT;
STEPSCOPE_API stepscope_scope stepscope_begin_site_slow(stepscope_site* site)
    STEPSCOPE_NOEXCEPT;
STEPSCOPE_API uint32_t stepscope_register_site(stepscope_site* site)
    STEPSCOPE_NOEXCEPT;

// Raw counter. Neither serialised nor converted: readers convert with the
// clock anchors in the capture.
STEPSCOPE_INLINE uint64_t stepscope_tick(void) {
#if defined(__x86_64__)
  uint32_t lo, hi;
  __asm__ volatile("rdtsc" : "=a"(lo), "=d"(hi)::"memory");
  return ((uint64_t)hi << 32) | lo;
#elif defined(__aarch64__)
  uint64_t value;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(value)::"memory");
  return value;
#else
  return 0;  // other machines record through the out-of-line clock
#endif
}

STEPSCOPE_INLINE uint32_t stepscope_gate(void) {
  return __atomic_load_n(&stepscope_gate_v1[0], __ATOMIC_RELAXED);
}

// True while a session records.
STEPSCOPE_INLINE int stepscope_enabled(void) { return stepscope_gate() != 0; }

STEPSCOPE_INLINE uint32_t stepscope_site_id(stepscope_site* site) {
  uint32_t id = __atomic_load_n(&site->id, __ATOMIC_RELAXED);
  return STEPSCOPE_UNLIKELY(id == 0) ? stepscope_register_site(site) : id;
}

// Takes the thread's next slot so that a signal handler which records in
// between takes another one. False when the out-of-line path must act: thread
// not attached to this session, chunk used up, or re-entered.
STEPSCOPE_INLINE int stepscope_take_slot(uint32_t gate,
                                         struct stepscope_slot_v1** taken) {
  struct stepscope_thread_v1* t = &stepscope_thread_local_v1;
  struct stepscope_slot_v1* slot;
  if (STEPSCOPE_UNLIKELY(gate != t->generation)) return 0;
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
  {
    // Not locked: atomic against signals on this thread, which is all it
    // must be. A cursor past the end is mended out of line.
    uint64_t step = sizeof(struct stepscope_slot_v1);
    __asm__ volatile("xaddq %0, %1" : "+r"(step), "+m"(t->cur)::"memory");
    slot = (struct stepscope_slot_v1*)step;
  }
#else
  // The generation doubles as busy flag and is marked before the cursor is
  // read: a handler that interrupts here goes out of line and is turned away.
  t->generation = STEPSCOPE_TAKING_SLOT;
  __asm__ volatile("" ::: "memory");
  slot = t->cur;
  t->cur = slot + 1;
  __asm__ volatile("" ::: "memory");
  t->generation = gate;
#endif
  *taken = slot;
  // Not against t->end: a handler may have moved on to another chunk since.
  return ((uintptr_t)slot & STEPSCOPE_SLOT_MASK) != 0;
}

typedef uint64_t __attribute__((may_alias)) stepscope_two_words_v1;

// Names the slot's site and clears its duration with one store.
STEPSCOPE_INLINE void stepscope_name_slot(struct stepscope_slot_v1* slot,
                                          uint32_t site) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  __atomic_store_n((stepscope_two_words_v1*)(void*)&slot->dur,
                   (uint64_t)site << 32, __ATOMIC_RELAXED);
#else
#error "stepscope's slots are little-endian"
#endif
}

STEPSCOPE_INLINE stepscope_scope stepscope_open_slot(
    struct stepscope_slot_v1* slot, uint32_t site) {
  stepscope_scope scope;
  stepscope_name_slot(slot, site);
  scope.slot = slot;
  scope.begin = stepscope_tick();
  __atomic_store_n(&slot->begin, scope.begin, __ATOMIC_RELAXED);
  return scope;
}

// Begins an event at a site id of this process (stepscope_site_id).
STEPSCOPE_INLINE stepscope_scope stepscope_begin_id(uint32_t site) {
  stepscope_scope scope = {NULL, 0};
  struct stepscope_slot_v1* slot;
  uint32_t gate = stepscope_gate();
  if (STEPSCOPE_UNLIKELY(gate == 0)) return scope;
  if (STEPSCOPE_UNLIKELY(!stepscope_take_slot(gate, &slot)))
    return stepscope_begin_slow(site);
  return stepscope_open_slot(slot, site);
}

STEPSCOPE_INLINE stepscope_scope stepscope_begin_site(stepscope_site* site) {
  stepscope_scope scope = {NULL, 0};
  struct stepscope_slot_v1* slot;
  uint32_t gate = stepscope_gate();
  // Asked for before the branch on the gate, which in a cold cache is a load
  // long under way; the asm keeps the compiler from moving it behind.
  uint32_t id = __atomic_load_n(&site->id, __ATOMIC_RELAXED);
  __asm__ volatile("" : "+r"(id));
  // While recording, no branch is taken: in a cold cache a taken one, on a load
  // still under way, is mispredicted (docs/decisions/0011).
  if (STEPSCOPE_UNLIKELY(gate == 0)) return scope;
  if (STEPSCOPE_UNLIKELY(id == 0)) return stepscope_begin_site_slow(site);
  if (STEPSCOPE_UNLIKELY(!stepscope_take_slot(gate, &slot)))
    return stepscope_begin_site_slow(site);
  return stepscope_open_slot(slot, id);
}

// Begins an event with any name (NUL-terminated, copied once per distinct
// name; the pointer need not outlive the call).
STEPSCOPE_INLINE stepscope_scope stepscope_begin(const char* name,
                                                 uint32_t type) {
  stepscope_scope scope = {NULL, 0};
  if (stepscope_gate() == 0) return scope;
  return stepscope_begin_name(name, (size_t)-1, type);
}

// Stores the duration if the slot is in this thread's current chunk and still
// ours; whatever else (other thread, older chunk, over 2^32 ticks, session
// over) goes out of line.
STEPSCOPE_INLINE int stepscope_close_slot(stepscope_scope scope,
                                          uint64_t now) {
  struct stepscope_thread_v1* t = &stepscope_thread_local_v1;
  uint64_t dur = now - scope.begin;
  if (STEPSCOPE_UNLIKELY(
          stepscope_gate() != t->generation ||
          (uintptr_t)t->end - (uintptr_t)scope.slot > STEPSCOPE_CHUNK_BYTES ||
          __atomic_load_n(&scope.slot->begin, __ATOMIC_RELAXED) !=
              scope.begin ||
          dur >= STEPSCOPE_DUR_LIMIT)) {
    return 0;
  }
  __atomic_store_n(&scope.slot->dur, (uint32_t)dur + 1, __ATOMIC_RELAXED);
  return 1;
}

STEPSCOPE_INLINE void stepscope_end(stepscope_scope scope) {
  if (scope.slot != NULL) {
    uint64_t now = stepscope_tick();
    if (STEPSCOPE_UNLIKELY(!stepscope_close_slot(scope, now)))
      stepscope_end_slow(scope, now);
  }
}

// Ends `scope` and begins the next event at the same instant, with one counter
// read: for executors that run operators back to back.
STEPSCOPE_INLINE stepscope_scope stepscope_next_id(stepscope_scope scope,
                                                   uint32_t site) {
  struct stepscope_thread_v1* t = &stepscope_thread_local_v1;
  uint32_t gate = stepscope_gate();
  struct stepscope_slot_v1* slot;
  stepscope_scope next;
  uint64_t dur;
  // The counter comes first: what follows runs in its shadow.
  uint64_t now = stepscope_tick();
  // The same tests as in stepscope_close_slot; a NULL slot is out of range.
  if (STEPSCOPE_UNLIKELY(
          gate == 0 ||
          (uintptr_t)t->end - (uintptr_t)scope.slot > STEPSCOPE_CHUNK_BYTES ||
          !stepscope_take_slot(gate, &slot))) {
    next = stepscope_begin_slow(site);
    if (next.slot != NULL && scope.slot != NULL)
      stepscope_end_slow(scope, next.begin);
    else
      stepscope_end(scope);
    return next;
  }
  stepscope_name_slot(slot, site);
  __atomic_store_n(&slot->begin, now, __ATOMIC_RELAXED);
  dur = now - scope.begin;
  if (STEPSCOPE_UNLIKELY(
          __atomic_load_n(&scope.slot->begin, __ATOMIC_RELAXED) !=
              scope.begin ||
          dur >= STEPSCOPE_DUR_LIMIT))
    stepscope_end_slow(scope, now);
  else
    __atomic_store_n(&scope.slot->dur, (uint32_t)dur + 1, __ATOMIC_RELAXED);
  next.slot = slot;
  next.begin = now;
  return next;
}

// ---------------------------------------------------------------------------
// Everything below is out of line.

// Arguments of an open event: shapes, dtypes, bytes. Key and text are copied.
// Text beyond 3 KiB and lists beyond 400 values are clipped and flagged.
STEPSCOPE_API void stepscope_arg_i64(stepscope_scope scope, const char* key,
                                     int64_t value) STEPSCOPE_NOEXCEPT;
STEPSCOPE_API void stepscope_arg_f64(stepscope_scope scope, const char* key,
                                     double value) STEPSCOPE_NOEXCEPT;
STEPSCOPE_API void stepscope_arg_text(stepscope_scope scope, const char* key,
                                      const char* text, size_t length)
    STEPSCOPE_NOEXCEPT;
STEPSCOPE_API void stepscope_arg_i64s(stepscope_scope scope, const char* key,
                                      const int64_t* values, size_t count)
    STEPSCOPE_NOEXCEPT;

// A point in time on the calling thread.
STEPSCOPE_API void stepscope_instant(const char* name, uint32_t type)
    STEPSCOPE_NOEXCEPT;

// A value over time, one track per name and process.
STEPSCOPE_API void stepscope_counter_f64(const char* name, double value)
    STEPSCOPE_NOEXCEPT;
STEPSCOPE_API void stepscope_counter_i64(const char* name, int64_t value)
    STEPSCOPE_NOEXCEPT;

// Kinds of memory event; Paddle's TracerMemEventType. Stored: never renumber.
enum stepscope_memory_kind {
  STEPSCOPE_ALLOCATE = 0,
  STEPSCOPE_FREE = 1,
  STEPSCOPE_RESERVED_ALLOCATE = 2,
  STEPSCOPE_RESERVED_FREE = 3
};

// One allocator event. `bytes` is positive; `place` such as "Place(cpu)" or
// "Place(gpu:0)"; the totals are the allocator's after this event.
STEPSCOPE_API void stepscope_memory(uint32_t kind, uint64_t address,
                                    uint64_t bytes, const char* place,
                                    uint64_t total_allocated,
                                    uint64_t total_reserved)
    STEPSCOPE_NOEXCEPT;

// An arrow from where phase 0 was recorded to where phase 1 was, by id; 2 is a
// point on the way.
STEPSCOPE_API void stepscope_flow(const char* name, uint64_t id,
                                  uint32_t phase) STEPSCOPE_NOEXCEPT;

// Names the calling thread in timelines (at most 63 bytes are kept).
STEPSCOPE_API void stepscope_set_thread_name(const char* name)
    STEPSCOPE_NOEXCEPT;

// A key of the process, such as "rank": kept for this and later sessions.
STEPSCOPE_API void stepscope_set_metadata(const char* key, const char* value)
    STEPSCOPE_NOEXCEPT;

// Sessions --------------------------------------------------------------------

typedef struct stepscope_options {
  uint32_t struct_size;    // sizeof(stepscope_options)
  uint32_t flags;          // 0 or STEPSCOPE_EMIT_NVTX
  const char* path;        // capture file. NULL: a fresh name in STEPSCOPE_OUT
                           // or ./profiler_log. The folder is made.
  uint64_t memory_budget;  // bytes. 0: STEPSCOPE_BUDGET or 64 MiB
  uint64_t max_file;       // bytes. 0: STEPSCOPE_MAX_FILE or unlimited
} stepscope_options;

// Reserves memory and opens files so that the next start costs nothing.
// Optional; start does it otherwise.
STEPSCOPE_API int stepscope_prepare(const stepscope_options* options)
    STEPSCOPE_NOEXCEPT;

// Starts recording. BUSY if a session is recording. `options` may be NULL.
STEPSCOPE_API int stepscope_start(const stepscope_options* options)
    STEPSCOPE_NOEXCEPT;

// Seals the running session and returns at once; its file is completed behind.
STEPSCOPE_API int stepscope_stop(void) STEPSCOPE_NOEXCEPT;

// Id of the running session, else of the last one; 0 if there was none.
STEPSCOPE_API uint64_t stepscope_session(void) STEPSCOPE_NOEXCEPT;

// Waits until the file of a stopped session is complete.
STEPSCOPE_API int stepscope_wait(uint64_t session, int timeout_ms)
    STEPSCOPE_NOEXCEPT;

// Copies the capture path of one of the last 16 sessions, NUL-terminated.
STEPSCOPE_API int stepscope_session_path(uint64_t session, char* buffer,
                                         size_t size) STEPSCOPE_NOEXCEPT;

typedef struct stepscope_stats {
  uint32_t struct_size;
  uint32_t threads;  // attached so far in this session
  uint64_t dropped[STEPSCOPE_DROP_REASONS];  // by stepscope_drop_reason
  uint64_t names;         // distinct names of the process
  uint64_t names_refused; // names beyond the bound, recorded without a name
  uint64_t file_bytes;    // written so far
  uint64_t memory_bytes;  // mapped for recording
} stepscope_stats;

// Figures of the running session, else of the last one.
STEPSCOPE_API int stepscope_get_stats(stepscope_stats* stats)
    STEPSCOPE_NOEXCEPT;

// Why something failed. Each thread has its own answer:
//
//   * If the last call of this thread that returns a status failed, the answer
//     says why. What other threads do does not change it.
//   * Otherwise, if something failed on one of stepscope's own threads (the
//     capture could not be written, for example), the answer is the last such
//     failure. It does not end with the session, and every thread sees it.
//   * Otherwise the answer is "".
//
// Never NULL, at most 511 bytes. The text stays valid until the next failing
// call of this thread, or until the thread ends; copy it to keep it longer.
STEPSCOPE_API const char* stepscope_last_error(void) STEPSCOPE_NOEXCEPT;

// For libraries that are built on this one: makes `text` the calling thread's
// last error, as if a call had just failed. NULL or "": as if it had succeeded.
STEPSCOPE_API void stepscope_set_last_error(const char* text)
    STEPSCOPE_NOEXCEPT;

// "0.1.0"
STEPSCOPE_API const char* stepscope_version(void) STEPSCOPE_NOEXCEPT;

// Profiler --------------------------------------------------------------------
//
// Chooses which steps of a program are recorded, hands each recorded window to
// a callback, and times every step. C++ code uses stepscope::Profiler.
// All functions may be called from any thread; start, step and stop belong to
// the thread that trains. A profiler inherited through fork() does nothing in
// the child.

// What a step is for. Paddle's ProfilerState values.
enum stepscope_profiler_state {
  STEPSCOPE_STATE_CLOSED = 0,            // nothing is recorded
  STEPSCOPE_STATE_READY = 1,             // memory and files are made ready
  STEPSCOPE_STATE_RECORD = 2,            // the step is recorded
  STEPSCOPE_STATE_RECORD_AND_RETURN = 3  // recorded; the window ends with it
};

// Paddle's ProfilerTarget values; a mask is made of 1 << value.
enum stepscope_target {
  STEPSCOPE_TARGET_CPU = 0,
  STEPSCOPE_TARGET_GPU = 1,
  STEPSCOPE_TARGET_XPU = 2,
  STEPSCOPE_TARGET_CUSTOM_DEVICE = 3
};

// Cycles of `closed`, `ready` and `record` steps, `repeat` times (0: for ever)
// after `skip_first` steps; the last step of a cycle is RECORD_AND_RETURN.
typedef struct stepscope_schedule {
  uint32_t struct_size;  // sizeof(stepscope_schedule)
  uint32_t flags;        // 0
  int64_t closed;
  int64_t ready;
  int64_t record;  // at least 1
  int64_t repeat;
  int64_t skip_first;
} stepscope_schedule;

// The state of a step (from 0), or -1 if the numbers make no sense.
STEPSCOPE_API int stepscope_schedule_state(const stepscope_schedule* schedule,
                                           int64_t step) STEPSCOPE_NOEXCEPT;

typedef struct stepscope_profiler stepscope_profiler;

enum stepscope_profiler_flag {
  STEPSCOPE_RECORD_SHAPES = 1,   // wish passed on to framework adapters
  STEPSCOPE_PROFILE_MEMORY = 2,  // likewise
  STEPSCOPE_TIMER_ONLY = 4,      // time steps, record nothing
  STEPSCOPE_EMIT_NVTX = 8,       // events also go to an NVTX tool
  STEPSCOPE_WITH_FLOPS = 16,     // likewise
  STEPSCOPE_KEEP_CAPTURE = 32,   // leave the *.sscap of each window in place
  STEPSCOPE_QUIET = 64           // stop prints no Perf Summary
};

// Receives text that is otherwise written to standard output.
typedef void (*stepscope_print_fn)(void* user, const char* text, size_t length);

typedef struct stepscope_profiler_options {
  uint32_t struct_size;  // sizeof(stepscope_profiler_options)
  uint32_t flags;        // stepscope_profiler_flag
  uint32_t targets;      // mask; 0: what the machine has
  uint32_t reserved;     // 0
  // Given to every callback. Must outlive the profiler.
  void* user;
  // The state of a step, called on the thread that steps. NULL: always RECORD.
  // Another value than a state counts as CLOSED and sets the last error.
  int (*scheduler)(void* user, int64_t step);
  // A window is complete: called on the delivery thread, one window at a time.
  // There stop, summary and export do not wait and act on this window. Returns
  // 0, or anything else after writing a NUL-terminated reason to `error`.
  // NULL: a Chrome trace in ./profiler_log.
  int (*on_trace_ready)(void* user, stepscope_profiler* profiler, char* error,
                        size_t error_size);
  stepscope_print_fn print;  // NULL: standard output
  // Where captures go when STEPSCOPE_OUT is not set. NULL: ./profiler_log.
  const char* out_dir;
  uint64_t memory_budget;  // of the recorder, bytes; 0: its default
} stepscope_profiler_options;

// `options` may be NULL: records every step, until stop.
STEPSCOPE_API int stepscope_profiler_create(
    const stepscope_profiler_options* options,
    stepscope_profiler** profiler) STEPSCOPE_NOEXCEPT;

// Stops it if it runs, waits for deliveries (60 s at most) and frees it. NULL
// is allowed.
STEPSCOPE_API void stepscope_profiler_destroy(stepscope_profiler* profiler)
    STEPSCOPE_NOEXCEPT;

// Enters step 0. BUSY if it runs already.
STEPSCOPE_API int stepscope_profiler_start(stepscope_profiler* profiler)
    STEPSCOPE_NOEXCEPT;

// Ends a step and enters the next one. num_samples < 0: not stated; the speed
// is then in steps/s from here on.
STEPSCOPE_API int stepscope_profiler_step(
    stepscope_profiler* profiler, int64_t num_samples) STEPSCOPE_NOEXCEPT;

// Prints the Perf Summary, seals the window if one is being recorded, and
// returns; delivery goes on behind. NOT_RUNNING the second time.
STEPSCOPE_API int stepscope_profiler_stop(stepscope_profiler* profiler)
    STEPSCOPE_NOEXCEPT;

// Drops what was recorded and timed so far, and goes on.
STEPSCOPE_API int stepscope_profiler_reset(stepscope_profiler* profiler)
    STEPSCOPE_NOEXCEPT;

// Takes the time in between (a validation loop) out of the timer. Recording
// goes on.
STEPSCOPE_API int stepscope_profiler_pause(stepscope_profiler* profiler)
    STEPSCOPE_NOEXCEPT;
STEPSCOPE_API int stepscope_profiler_resume(stepscope_profiler* profiler)
    STEPSCOPE_NOEXCEPT;

// Waits until every sealed window was delivered. Does not wait on the delivery
// thread.
STEPSCOPE_API int stepscope_profiler_wait(stepscope_profiler* profiler,
                                          int timeout_ms) STEPSCOPE_NOEXCEPT;

// Paddle's SortedKeys values.
enum stepscope_sort_key {
  STEPSCOPE_SORT_CPU_TOTAL = 0,
  STEPSCOPE_SORT_CPU_AVG = 1,
  STEPSCOPE_SORT_CPU_MAX = 2,
  STEPSCOPE_SORT_CPU_MIN = 3,
  STEPSCOPE_SORT_GPU_TOTAL = 4,
  STEPSCOPE_SORT_GPU_AVG = 5,
  STEPSCOPE_SORT_GPU_MAX = 6,
  STEPSCOPE_SORT_GPU_MIN = 7
};

// Paddle's SummaryView values; a mask is made of 1 << value.
enum stepscope_summary_view {
  STEPSCOPE_VIEW_DEVICE = 0,
  STEPSCOPE_VIEW_OVERVIEW = 1,
  STEPSCOPE_VIEW_MODEL = 2,
  STEPSCOPE_VIEW_DISTRIBUTED = 3,
  STEPSCOPE_VIEW_KERNEL = 4,
  STEPSCOPE_VIEW_OPERATOR = 5,
  STEPSCOPE_VIEW_MEMORY = 6,
  STEPSCOPE_VIEW_MEMORY_MANIPULATION = 7,
  STEPSCOPE_VIEW_USER_DEFINED = 8
};

typedef struct stepscope_summary_options {
  uint32_t struct_size;   // sizeof(stepscope_summary_options)
  uint32_t sorted_by;     // stepscope_sort_key
  uint32_t no_op_detail;  // 1: operators without their inner rows
  uint32_t thread_sep;    // 1: operators by thread
  uint32_t views;         // mask; 0: all
  const char* time_unit;  // "s", "ms", "us" or "ns"; NULL: "ms"
} stepscope_summary_options;

// Prints the tables of the last delivered window to `print` (NULL: the
// profiler's own). Waits for delivery, 60 s at most. NOT_RUNNING if there is
// no window. `options` may be NULL.
STEPSCOPE_API int stepscope_profiler_summary(
    stepscope_profiler* profiler, const stepscope_summary_options* options,
    stepscope_print_fn print, void* user) STEPSCOPE_NOEXCEPT;

// Writes the last delivered window. Waits likewise. `format` is "json" (Chrome
// trace; compressed if the path ends in .gz) or "capture"; NULL: by the path,
// .sscap is a capture and all else a Chrome trace. The file appears whole.
STEPSCOPE_API int stepscope_profiler_export(
    stepscope_profiler* profiler, const char* path,
    const char* format) STEPSCOPE_NOEXCEPT;

// The same under Paddle's name in a folder:
// <worker>_time_<date and time>.paddle_trace.json, worker NULL or "":
// host_<hostname>pid_<pid>. The format "capture" ends in .sscap instead.
STEPSCOPE_API int stepscope_profiler_export_to(
    stepscope_profiler* profiler, const char* folder, const char* worker,
    const char* format) STEPSCOPE_NOEXCEPT;

// Makes a folder and those above it.
STEPSCOPE_API int stepscope_make_folder(const char* path) STEPSCOPE_NOEXCEPT;

// Cost of the steps since the last call, such as
// " reader_cost: 0.00010 s batch_cost: 0.00790 s ips: 506.329 images/s".
// unit NULL: "samples". NUL-terminated; TRUNCATED if it does not fit.
STEPSCOPE_API int stepscope_profiler_step_info(stepscope_profiler* profiler,
                                               const char* unit, char* buffer,
                                               size_t size) STEPSCOPE_NOEXCEPT;

// Copies why the last failing call or callback of this profiler failed; "" if
// none did since start.
STEPSCOPE_API int stepscope_profiler_last_error(
    const stepscope_profiler* profiler, char* buffer,
    size_t size) STEPSCOPE_NOEXCEPT;

STEPSCOPE_API int64_t stepscope_profiler_step_number(
    const stepscope_profiler* profiler) STEPSCOPE_NOEXCEPT;
STEPSCOPE_API int stepscope_profiler_state_now(
    const stepscope_profiler* profiler) STEPSCOPE_NOEXCEPT;

// Waiting for a batch: records a Dataloader event and feeds the timer of the
// profiler started last. `reader` says whose batches: while another reader
// than the first is in use (validation inside training) the timer rests.
typedef struct stepscope_read {
  stepscope_scope scope;
  int64_t begin_ns;
  const void* reader;
} stepscope_read;

STEPSCOPE_API stepscope_read stepscope_reader_begin(const void* reader)
    STEPSCOPE_NOEXCEPT;
STEPSCOPE_API void stepscope_reader_end(stepscope_read read) STEPSCOPE_NOEXCEPT;
// Ends the event of a read that gave no batch; the timer does not count it.
STEPSCOPE_API void stepscope_reader_cancel(stepscope_read read)
    STEPSCOPE_NOEXCEPT;

// Marks the end of a step (a request, a batch) of a program that has no
// profiler and is profiled by STEPSCOPE_PERIOD or STEPSCOPE_STEPS alone. One
// load and a branch otherwise.
STEPSCOPE_API void stepscope_step(void) STEPSCOPE_NOEXCEPT;

#ifdef __cplusplus
}
#endif
