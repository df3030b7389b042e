// SPDX-License-Identifier: Apache-2.0
//
// stepscope C API: records what a process does. An event costs two reads of
// the processor's counter and a store.
//
// All functions may be called from any thread, at any time, whether a session
// records or not. They never throw, print or abort. Recording an event does not
// wait for other threads, with one exception: the first use of a name may wait
// while another thread adds a name, one second at most.
//
// Functions that can fail return a stepscope_status, and stepscope_last_error()
// says why they failed.
//
// Minimal use:
//
//   stepscope_start(NULL);                       // or stepscope_options
//   stepscope_scope s = stepscope_begin("load", STEPSCOPE_USER_DEFINED);
//   ...work...
//   stepscope_end(s);
//   stepscope_stop();                            // the file is finished in
//                                                // the background
//
// C++ code uses stepscope.h, which wraps this header in RAII types. All of the
// border is in this one file, long as it is: an engine may copy it.
//
// STEPSCOPE_DISABLE, defined before this header is included, turns the
// functions that mark a program into nothing; see disabled.h.
//
// Above 600 lines because the whole C interface (recording, sessions, the
// profiler) is in one file: one header to include, to read and to bind.
//
// The section "Hot path" is inlined into user code and is therefore part of the
// binary interface. Its structs and symbols have a version suffix and never
// change under that suffix.
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

// What kind of event it is. 0 to 14 are the values of Paddle's
// TracerEventType; our own start at 32. Stored on disk: never renumber.
enum stepscope_event_type {
  STEPSCOPE_OPERATOR = 0,              // framework operator
  STEPSCOPE_DATALOADER = 1,            // waiting for a batch
  STEPSCOPE_PROFILE_STEP = 2,          // one step, "ProfileStep#<n>"
  STEPSCOPE_CUDA_RUNTIME = 3,          // device API call on the host
  STEPSCOPE_KERNEL = 4,                // device kernel
  STEPSCOPE_MEMCPY = 5,                // device copy
  STEPSCOPE_MEMSET = 6,                // device set
  STEPSCOPE_USER_DEFINED = 7,          // user's C or C++ event
  STEPSCOPE_OPERATOR_INNER = 8,        // phase of an operator
  STEPSCOPE_FORWARD = 9,               // forward pass
  STEPSCOPE_BACKWARD = 10,             // backward pass
  STEPSCOPE_OPTIMIZATION = 11,         // optimizer
  STEPSCOPE_COMMUNICATION = 12,        // collective or point to point
  STEPSCOPE_PYTHON_OP = 13,            // Python-level operator
  STEPSCOPE_PYTHON_USER_DEFINED = 14,  // user's Python event
  STEPSCOPE_PYTHON_FUNCTION = 32,      // Python call
  STEPSCOPE_SYNCHRONIZATION = 33,      // host waits for the device
  STEPSCOPE_OVERHEAD = 34,             // cost of profiling itself
  STEPSCOPE_GRAPH_LAUNCH = 35,         // device graph as a whole
  STEPSCOPE_REQUEST = 36               // of a server; Request in stepscope.h
};

// What a call returns. Zero is success.
enum stepscope_status {
  STEPSCOPE_OK = 0,
  STEPSCOPE_BUSY = 1,         // a session is already recording
  STEPSCOPE_NOT_RUNNING = 2,  // nothing to stop or wait for
  STEPSCOPE_INVALID = 3,      // an argument is not valid
  STEPSCOPE_IO = 4,           // a file cannot be created, written or read
  STEPSCOPE_NO_MEMORY = 5,    // not enough memory, or no thread
  STEPSCOPE_TIMEOUT = 6,      // not finished within the given time
  STEPSCOPE_TRUNCATED = 7     // the caller's buffer is too small
};

// Why an event was not recorded. Stored on disk: never renumber.
enum stepscope_drop_reason {
  STEPSCOPE_DROP_POOL = 0,        // the memory budget was used up
  STEPSCOPE_DROP_REENTRANT = 1,   // a signal handler interrupted the recorder
  STEPSCOPE_DROP_THREADS = 2,     // too many threads record at once
  STEPSCOPE_DROP_IO = 3,          // the capture file could not be written
  STEPSCOPE_DROP_FILE_LIMIT = 4,  // the capture file reached its limit
  STEPSCOPE_DROP_EXITED = 5,      // the thread was already being destroyed
  STEPSCOPE_DROP_REASONS = 8      // array size; unused entries stay zero
};

// ---------------------------------------------------------------------------
// Hot path (binary interface, version 1)

// One event. begin == 0: the slot is unused. dur == 0: the event is still open.
// dur == STEPSCOPE_DUR_INSTANT: a point in time. Otherwise dur is the duration
// in ticks, plus 1.
//
// Beginning an event stores `site`, then `begin`; ending it stores `dur`. A
// slot is never half written: a process that is killed leaves readable slots.
struct stepscope_slot_v1 {
  uint64_t begin;
  uint32_t dur;
  uint32_t site;
};

// What a thread needs to record, in 32 bytes. The alignment must not exceed
// 32: dlopen refuses a larger one in static TLS.
struct stepscope_thread_v1 {
  struct stepscope_slot_v1* cur;
  struct stepscope_slot_v1* end;
  uint32_t generation;  // session this thread is attached to
  uint32_t busy;        // inside an out-of-line function of the collector
  void* state;
} __attribute__((aligned(32)));

// Chunks are aligned to their size and begin with a header of 64 bytes. So the
// address of a slot shows whether it is past the end of its chunk.
#define STEPSCOPE_CHUNK_BYTES 65536u
#define STEPSCOPE_SLOT_MASK 0xffc0u
// Value of stepscope_thread_v1.generation while the cursor moves. No session
// has this generation.
#define STEPSCOPE_TAKING_SLOT 0xffffffffu
#define STEPSCOPE_DUR_LIMIT 0xfffffff0u
#define STEPSCOPE_DUR_INSTANT 0xffffffffu

// Word 0 is the generation of the running session, or 0 if nothing is recorded.
// The array fills whole pages, which the kernel clears on fork: a forked child
// records nothing until it starts its own session.
#if defined(__aarch64__)
#define STEPSCOPE_GATE_BYTES 65536
#else
#define STEPSCOPE_GATE_BYTES 4096
#endif
extern STEPSCOPE_API uint32_t stepscope_gate_v1[STEPSCOPE_GATE_BYTES / 4];
extern STEPSCOPE_API __thread struct stepscope_thread_v1
    stepscope_thread_local_v1 __attribute__((tls_model("initial-exec")));

// An open event. Pass it by value to stepscope_end, on any thread and in any
// order. slot == NULL: nothing was begun.
typedef struct stepscope_scope {
  struct stepscope_slot_v1* slot;
  uint64_t begin;
} stepscope_scope;

// A place in the code with a fixed name. The name is looked up once, at the
// first use. Must be static, and never change.
typedef struct stepscope_site {
  const char* name;
  uint32_t type;
  uint32_t id;  // 0 until the first use
} stepscope_site;

STEPSCOPE_API stepscope_scope stepscope_begin_slow(uint32_t site)
    STEPSCOPE_NOEXCEPT;
STEPSCOPE_API void stepscope_end_slow(stepscope_scope scope,
                                      uint64_t now) STEPSCOPE_NOEXCEPT;
STEPSCOPE_API stepscope_scope stepscope_begin_name(
    const char* name, size_t length, uint32_t type) STEPSCOPE_NOEXCEPT;
STEPSCOPE_API stepscope_scope stepscope_begin_site_slow(stepscope_site* site)
    STEPSCOPE_NOEXCEPT;
STEPSCOPE_API uint32_t stepscope_register_site(stepscope_site* site)
    STEPSCOPE_NOEXCEPT;

// The processor's counter, in ticks. Readers of the capture convert ticks to
// nanoseconds.
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

// Takes the thread's next slot. A signal handler that records at the same time
// takes another one. False: the caller must use the out-of-line path, because
// the thread has not joined this session, its chunk is used up, or a signal
// handler interrupted the recorder.
STEPSCOPE_INLINE int stepscope_take_slot(uint32_t gate,
                                         struct stepscope_slot_v1** taken) {
  struct stepscope_thread_v1* t = &stepscope_thread_local_v1;
  struct stepscope_slot_v1* slot;
  // Nobody reads it then; g++ -Og does not see that, and would warn.
  *taken = NULL;
  if (STEPSCOPE_UNLIKELY(gate != t->generation)) return 0;
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
  {
    // Not locked: it only has to be atomic against signals on this thread.
    // A cursor past the end is repaired out of line.
    uint64_t step = sizeof(struct stepscope_slot_v1);
    __asm__ volatile("xaddq %0, %1" : "+r"(step), "+m"(t->cur)::"memory");
    slot = (struct stepscope_slot_v1*)step;
  }
#else
  // The generation is also a busy flag, set before the cursor is read: a
  // handler that interrupts here goes out of line, where it is refused.
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

// Stores the site and clears the duration, with one store.
STEPSCOPE_INLINE void stepscope_name_slot(struct stepscope_slot_v1* slot,
                                          uint32_t site) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  __atomic_store_n((stepscope_two_words_v1*)(void*)&slot->dur,
                   (uint64_t)site << 32, __ATOMIC_RELAXED);
#else
#error "stepscope's slots are little-endian"
#endif
}

STEPSCOPE_INLINE stepscope_scope
stepscope_open_slot(struct stepscope_slot_v1* slot, uint32_t site) {
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

// Begins an event with any NUL-terminated name. The name is copied the first
// time it is seen; the pointer is not kept.
STEPSCOPE_INLINE stepscope_scope stepscope_begin(const char* name,
                                                 uint32_t type) {
  stepscope_scope scope = {NULL, 0};
  if (stepscope_gate() == 0) return scope;
  return stepscope_begin_name(name, (size_t)-1, type);
}

// Stores the duration if the slot is in the current chunk of this thread and
// still holds this event. False in all other cases (another thread, an older
// chunk, more than 2^32 ticks, the session is over): then the out-of-line path
// does it.
STEPSCOPE_INLINE int stepscope_close_slot(stepscope_scope scope, uint64_t now) {
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

// Ends `scope` and begins the next event at the same time, with one read of the
// counter. For code that runs one operator directly after another.
STEPSCOPE_INLINE stepscope_scope stepscope_next_id(stepscope_scope scope,
                                                   uint32_t site) {
  struct stepscope_thread_v1* t = &stepscope_thread_local_v1;
  uint32_t gate = stepscope_gate();
  struct stepscope_slot_v1* slot;
  stepscope_scope next;
  uint64_t dur;
  // The counter comes first: the processor does the rest while it is read.
  uint64_t now = stepscope_tick();
  // The same tests as in stepscope_close_slot; a NULL slot is out of range.
  if (STEPSCOPE_UNLIKELY(gate == 0 ||
                         (uintptr_t)t->end - (uintptr_t)scope.slot >
                             STEPSCOPE_CHUNK_BYTES ||
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
  if (STEPSCOPE_UNLIKELY(__atomic_load_n(&scope.slot->begin,
                                         __ATOMIC_RELAXED) != scope.begin ||
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

// Adds an argument to an open event: a shape, a data type, a number of bytes.
// Key and text are copied. Text is cut after 3 KiB and a list after 400 values;
// the capture says so.
STEPSCOPE_API void stepscope_arg_i64(stepscope_scope scope, const char* key,
                                     int64_t value) STEPSCOPE_NOEXCEPT;
STEPSCOPE_API void stepscope_arg_f64(stepscope_scope scope, const char* key,
                                     double value) STEPSCOPE_NOEXCEPT;
STEPSCOPE_API void stepscope_arg_text(stepscope_scope scope, const char* key,
                                      const char* text,
                                      size_t length) STEPSCOPE_NOEXCEPT;
STEPSCOPE_API void stepscope_arg_i64s(stepscope_scope scope, const char* key,
                                      const int64_t* values,
                                      size_t count) STEPSCOPE_NOEXCEPT;

// Records a point in time on the calling thread.
STEPSCOPE_API void stepscope_instant(const char* name,
                                     uint32_t type) STEPSCOPE_NOEXCEPT;

// Records the value that a counter has now. Each name is one counter of the
// process.
STEPSCOPE_API void stepscope_counter_f64(const char* name,
                                         double value) STEPSCOPE_NOEXCEPT;
STEPSCOPE_API void stepscope_counter_i64(const char* name,
                                         int64_t value) STEPSCOPE_NOEXCEPT;

// Kinds of memory event; Paddle's TracerMemEventType. Stored: never renumber.
enum stepscope_memory_kind {
  STEPSCOPE_ALLOCATE = 0,
  STEPSCOPE_FREE = 1,
  STEPSCOPE_RESERVED_ALLOCATE = 2,
  STEPSCOPE_RESERVED_FREE = 3
};

// Records that memory was allocated or freed. `bytes` is positive for both.
// `place` is where, such as "Place(cpu)" or "Place(gpu:0)". The totals are
// those of the allocator after this event, in bytes.
STEPSCOPE_API void stepscope_memory(uint32_t kind, uint64_t address,
                                    uint64_t bytes, const char* place,
                                    uint64_t total_allocated,
                                    uint64_t total_reserved) STEPSCOPE_NOEXCEPT;

// Draws an arrow between events. Calls with the same `id` belong together:
// phase 0 is the start of the arrow, 1 its end, 2 a point in between.
STEPSCOPE_API void stepscope_flow(const char* name, uint64_t id,
                                  uint32_t phase) STEPSCOPE_NOEXCEPT;

// Sets the name of the calling thread in timelines. At most 63 bytes are kept.
STEPSCOPE_API void stepscope_set_thread_name(const char* name)
    STEPSCOPE_NOEXCEPT;

// Stores a fact about the process, such as its "rank". It goes into the capture
// of this session and of all later ones.
STEPSCOPE_API void stepscope_set_metadata(const char* key,
                                          const char* value) STEPSCOPE_NOEXCEPT;

// Says that a step of the program took `ns` nanoseconds while nothing was
// recorded. The latest such steps, before and after a session, go into its
// capture, so that readers know what recording costs; 0 says that another loop
// begins. The Profiler does this. Ignored while a session records.
STEPSCOPE_API void stepscope_unrecorded_step(int64_t ns) STEPSCOPE_NOEXCEPT;

// Sessions --------------------------------------------------------------------

typedef struct stepscope_options {
  uint32_t struct_size;    // sizeof(stepscope_options)
  uint32_t flags;          // 0 or STEPSCOPE_EMIT_NVTX
  const char* path;        // capture file; its folder is created. NULL: a new
                           // name in STEPSCOPE_OUT or in ./profiler_log
  uint64_t memory_budget;  // bytes. 0: STEPSCOPE_BUDGET or 64 MiB
  uint64_t max_file;       // bytes. 0: STEPSCOPE_MAX_FILE or unlimited
} stepscope_options;

// Reserves memory and opens files, so that the next start is fast. Optional:
// otherwise stepscope_start does this.
STEPSCOPE_API int stepscope_prepare(const stepscope_options* options)
    STEPSCOPE_NOEXCEPT;

// Starts recording. `options` may be NULL. STEPSCOPE_BUSY if a session is
// already recording.
STEPSCOPE_API int stepscope_start(const stepscope_options* options)
    STEPSCOPE_NOEXCEPT;

// Stops recording and returns at once. The file is finished in the background;
// stepscope_wait waits for it.
STEPSCOPE_API int stepscope_stop(void) STEPSCOPE_NOEXCEPT;

// The id of the running session, or else of the last one. 0 if there was none.
STEPSCOPE_API uint64_t stepscope_session(void) STEPSCOPE_NOEXCEPT;

// Says that the program is going to record. `stepscope run` leaves out programs
// that do nothing and end at once; here its recording begins, so that no event
// is missing at the start. Otherwise it does nothing. A Request of stepscope.h
// says so by itself.
STEPSCOPE_API void stepscope_about_to_record(void) STEPSCOPE_NOEXCEPT;

// Waits until the file of a stopped session is complete. STEPSCOPE_TIMEOUT if
// that takes longer than `timeout_ms`.
STEPSCOPE_API int stepscope_wait(uint64_t session,
                                 int timeout_ms) STEPSCOPE_NOEXCEPT;

// Copies the path of the capture of one of the last 16 sessions into `buffer`,
// NUL-terminated.
STEPSCOPE_API int stepscope_session_path(uint64_t session, char* buffer,
                                         size_t size) STEPSCOPE_NOEXCEPT;

typedef struct stepscope_stats {
  uint32_t struct_size;
  uint32_t threads;  // that recorded something in this session
  uint64_t dropped[STEPSCOPE_DROP_REASONS];  // by stepscope_drop_reason
  uint64_t names;                            // different names in this process
  uint64_t names_refused;  // names beyond the limit; events have no name then
  uint64_t file_bytes;     // written so far
  uint64_t memory_bytes;   // mapped for recording
} stepscope_stats;

// Fills in `stats` for the running session, or else for the last one. Set
// struct_size before the call.
STEPSCOPE_API int stepscope_get_stats(stepscope_stats* stats)
    STEPSCOPE_NOEXCEPT;

// A session of which only the last part is wanted, such as one that records for
// weeks: what ended before tick `from` may be discarded, and so may what does
// not fit into `max_bytes` of the capture file (0: no limit). Scopes that are
// still open stay. Call it again whenever the window moves on. The file is
// written anew in the background, and is a whole capture at every instant. 0:
// keep all, as at the start of a session.
STEPSCOPE_API void stepscope_keep_window(uint64_t from,
                                         uint64_t max_bytes) STEPSCOPE_NOEXCEPT;

// Copies what was recorded from tick `from` on into a new, complete capture at
// `path`, whose folder is created; recording goes on. `reason` is kept as the
// fact "saved". Waits for at most `timeout_ms`.
STEPSCOPE_API int stepscope_save_window(const char* path, uint64_t from,
                                        const char* reason,
                                        int timeout_ms) STEPSCOPE_NOEXCEPT;

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

// For libraries that are built on this one and start threads, so that a process
// ends although they run: 0 before one is started, 1 by the thread itself as it
// begins, -1 as it ends.
STEPSCOPE_API void stepscope_background_thread(int change) STEPSCOPE_NOEXCEPT;

// "0.1.0"
STEPSCOPE_API const char* stepscope_version(void) STEPSCOPE_NOEXCEPT;

// Flight recorder -------------------------------------------------------------
//
// Records all the time and keeps the last steps only. The window is saved, by
// every process of the job, when a step is slow, when no step ends for long, or
// when `stepscope trigger` asks for it. After a crash it is there as well. A
// thread of the recorder watches; a step costs the program two stores and three
// loads.

enum stepscope_flight_flag {
  // Record nothing until `stepscope trigger` asks for it.
  STEPSCOPE_FLIGHT_ON_DEMAND = 1
};

typedef struct stepscope_flight_options {
  uint32_t struct_size;    // sizeof(stepscope_flight_options)
  uint32_t flags;          // stepscope_flight_flag
  const char* folder;      // of the job; NULL: STEPSCOPE_OUT or ./profiler_log
  const char* path;        // of the capture that is kept; NULL: a new name
  uint64_t memory_budget;  // bytes. 0: STEPSCOPE_BUDGET or 64 MiB
  uint64_t max_bytes;      // of the window, in its file. 0: 256 MiB
  int64_t steps;           // that are kept. 0: 20
  double slow_factor;      // a step is slow if it takes this many times the
                           // median. 0: 3. Negative: none is
  int64_t hang_ns;         // a hang is no step for so long. 0: 30 s or ten
                           // medians, whichever is more. Negative: never
  int64_t saves_per_hour;  // at most, without those of a trigger. 0: 10
  // Called when the steps of a trigger begin (1) and end (0): more may be
  // recorded in them. On the thread that steps; where there are no steps, on
  // one of stepscope's, which has no open files. Must not call
  // stepscope_flight functions. May be NULL.
  void (*detail)(int on);
  // Called on a thread of stepscope's when steps of a trigger are still to come
  // (1), so that what takes a while is ready by then, and when they are over or
  // will not come (0). Otherwise as `detail`.
  void (*ahead)(int on);
} stepscope_flight_options;

// Starts. STEPSCOPE_BUSY if it runs, or if a session records.
STEPSCOPE_API int stepscope_flight_start(
    const stepscope_flight_options* options) STEPSCOPE_NOEXCEPT;

// Step `step` begins, on the thread that trains. Steps are counted by the
// program, from any number on, each one more than the one before. Does nothing
// if the flight recorder does not run.
STEPSCOPE_API void stepscope_flight_step(int64_t step) STEPSCOPE_NOEXCEPT;

// Saves the window, in this and all other processes of the job. Returns at
// once; a thread of the recorder does it.
STEPSCOPE_API int stepscope_flight_save(const char* reason) STEPSCOPE_NOEXCEPT;

// Stops; the capture that holds the last steps is finished in the background.
STEPSCOPE_API int stepscope_flight_stop(void) STEPSCOPE_NOEXCEPT;

// Profiler --------------------------------------------------------------------
//
// Decides which steps of a program are recorded, gives each recorded window to
// a callback, and measures the time of every step. A window is a run of
// recorded steps. C++ code uses stepscope::Profiler.
//
// All functions may be called from any thread. Call start, step and stop on the
// thread that trains. In a forked child the parent's profiler does nothing.

// What a step is for. Paddle's ProfilerState values.
enum stepscope_profiler_state {
  STEPSCOPE_STATE_CLOSED = 0,            // nothing is recorded
  STEPSCOPE_STATE_READY = 1,             // memory and files are prepared
  STEPSCOPE_STATE_RECORD = 2,            // the step is recorded
  STEPSCOPE_STATE_RECORD_AND_RETURN = 3  // recorded; the window ends with it
};

// What to record. Paddle's ProfilerTarget values; a mask has the bits
// 1 << value.
enum stepscope_target {
  STEPSCOPE_TARGET_CPU = 0,
  STEPSCOPE_TARGET_GPU = 1,
  STEPSCOPE_TARGET_XPU = 2,
  STEPSCOPE_TARGET_CUSTOM_DEVICE = 3
};

// First `skip_first` steps are skipped. Then come cycles of `closed`, `ready`
// and `record` steps, `repeat` times (0: forever). The last step of each cycle
// is RECORD_AND_RETURN.
typedef struct stepscope_schedule {
  uint32_t struct_size;  // sizeof(stepscope_schedule)
  uint32_t flags;        // 0
  int64_t closed;
  int64_t ready;
  int64_t record;  // at least 1
  int64_t repeat;
  int64_t skip_first;
} stepscope_schedule;

// The state of a step, counted from 0, or -1 if the schedule is not valid.
STEPSCOPE_API int stepscope_schedule_state(const stepscope_schedule* schedule,
                                           int64_t step) STEPSCOPE_NOEXCEPT;

typedef struct stepscope_profiler stepscope_profiler;

enum stepscope_profiler_flag {
  STEPSCOPE_RECORD_SHAPES = 1,   // a request to framework adapters
  STEPSCOPE_PROFILE_MEMORY = 2,  // a request to framework adapters
  STEPSCOPE_TIMER_ONLY = 4,      // measure steps, record nothing
  STEPSCOPE_EMIT_NVTX = 8,       // also send events to an NVTX tool
  STEPSCOPE_WITH_FLOPS = 16,     // a request to framework adapters
  STEPSCOPE_KEEP_CAPTURE = 32,   // do not delete the *.sscap of each window
  STEPSCOPE_QUIET = 64,          // stop does not print the Perf Summary
  STEPSCOPE_FLIGHT = 128,        // record all steps, keep the last ones; obey
                                 // `stepscope trigger`. See flight below
  STEPSCOPE_START_AT_REST = 256  // step 0 is entered at the first resume
};

// Receives text that is otherwise written to standard output.
typedef void (*stepscope_print_fn)(void* user, const char* text, size_t length);

typedef struct stepscope_profiler_options {
  uint32_t struct_size;  // sizeof(stepscope_profiler_options)
  uint32_t flags;        // stepscope_profiler_flag
  uint32_t targets;      // mask; 0: what the machine has
  // Sample the hardware's counters of GPUs this often. 0: only if
  // STEPSCOPE_GPU_COUNTERS in the environment says how often.
  uint32_t counters_us;
  // The first argument of every callback. Must live longer than the profiler.
  void* user;
  // Returns the state of a step. Called on the thread that steps. NULL: always
  // RECORD. A value that is not a state counts as CLOSED and sets the last
  // error.
  int (*scheduler)(void* user, int64_t step);
  // Called when a window is complete, on the delivery thread, for one window at
  // a time. In the callback, stop, summary and export do not wait, and use this
  // window. Returns 0, or writes a NUL-terminated reason to `error` and returns
  // something else. NULL: a Chrome trace is written to ./profiler_log.
  int (*on_trace_ready)(void* user, stepscope_profiler* profiler, char* error,
                        size_t error_size);
  stepscope_print_fn print;  // NULL: standard output
  // The folder of captures if STEPSCOPE_OUT is not set. NULL: ./profiler_log.
  const char* out_dir;
  uint64_t memory_budget;  // of the recorder, in bytes. 0: its default
  // Receives each warning, one line without a newline, on any thread; it must
  // not call the profiler. NULL: standard error. New here: a struct_size that
  // ends before it is accepted; likewise what follows.
  stepscope_print_fn warn;
  // With STEPSCOPE_FLIGHT; NULL: its defaults. Its folder is by default that of
  // the captures. Then `scheduler` is not called: all steps are recorded. With
  // STEPSCOPE_FLIGHT_ON_DEMAND among its flags none is, until `stepscope
  // trigger` asks for some; on_trace_ready is not called, and what was recorded
  // lies in the folder of the job.
  const struct stepscope_flight_options* flight;
} stepscope_profiler_options;

// Creates a profiler. `options` may be NULL: then every step is recorded until
// stop.
STEPSCOPE_API int stepscope_profiler_create(
    const stepscope_profiler_options* options,
    stepscope_profiler** profiler) STEPSCOPE_NOEXCEPT;

// Stops the profiler if it is running, waits until its windows are delivered
// (60 s at most), and frees it. NULL is allowed.
STEPSCOPE_API void stepscope_profiler_destroy(stepscope_profiler* profiler)
    STEPSCOPE_NOEXCEPT;

// Starts the profiler and enters step 0. STEPSCOPE_BUSY if it is running.
// In a callback it does nothing (STEPSCOPE_NOT_RUNNING) once the program has
// called stop.
STEPSCOPE_API int stepscope_profiler_start(stepscope_profiler* profiler)
    STEPSCOPE_NOEXCEPT;

// Ends a step and enters the next one. `num_samples` is the number of samples
// in the step that ends. Negative: unknown; from then on the speed is in
// steps/s.
STEPSCOPE_API int stepscope_profiler_step(
    stepscope_profiler* profiler, int64_t num_samples) STEPSCOPE_NOEXCEPT;

// The step that was entered last does not take place now: what the program does
// until stepscope_profiler_resume, which enters it again, is in no step. Call
// it before evaluation or saving, and when the data ends. Recording continues.
STEPSCOPE_API int stepscope_profiler_leave_step(stepscope_profiler* profiler)
    STEPSCOPE_NOEXCEPT;

// Prints the Perf Summary, ends the window that is being recorded, and returns.
// The window is delivered in the background. STEPSCOPE_NOT_RUNNING if the
// profiler is not running.
STEPSCOPE_API int stepscope_profiler_stop(stepscope_profiler* profiler)
    STEPSCOPE_NOEXCEPT;

// Discards what was recorded and measured so far, and continues.
STEPSCOPE_API int stepscope_profiler_reset(stepscope_profiler* profiler)
    STEPSCOPE_NOEXCEPT;

// The time between pause and resume is left out where steps are timed, but is
// part of the step that is recorded; stepscope_profiler_leave_step leaves it
// out of both. Recording continues.
STEPSCOPE_API int stepscope_profiler_pause(stepscope_profiler* profiler)
    STEPSCOPE_NOEXCEPT;
STEPSCOPE_API int stepscope_profiler_resume(stepscope_profiler* profiler)
    STEPSCOPE_NOEXCEPT;

// Waits until all finished windows are delivered. Returns at once when called
// on the delivery thread.
STEPSCOPE_API int stepscope_profiler_wait(stepscope_profiler* profiler,
                                          int timeout_ms) STEPSCOPE_NOEXCEPT;

// For an interpreter that ends before the process does: what the end of the
// process does for windows that are not delivered yet. Waits for them; a
// callback that takes longer is left to itself (STEPSCOPE_TIMEOUT), and the end
// of the process does not wait again.
STEPSCOPE_API int stepscope_end_deliveries(int timeout_ms) STEPSCOPE_NOEXCEPT;

// What tables are sorted by. Paddle's SortedKeys values.
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

// Which tables are shown. Paddle's SummaryView values; a mask has the bits
// 1 << value.
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
  uint32_t no_op_detail;  // 1: operators without the phases inside them
  uint32_t thread_sep;    // 1: a table of operators for each thread
  uint32_t views;         // mask; 0: all
  const char* time_unit;  // "s", "ms", "us" or "ns"; NULL: "ms"
} stepscope_summary_options;

// Prints the tables of the last delivered window with `print` (NULL: as the
// profiler prints). Waits for the delivery, 60 s at most. STEPSCOPE_NOT_RUNNING
// if there is no window. `options` may be NULL.
STEPSCOPE_API int stepscope_profiler_summary(
    stepscope_profiler* profiler, const stepscope_summary_options* options,
    stepscope_print_fn print, void* user) STEPSCOPE_NOEXCEPT;

// Writes the last delivered window to a file. Waits for the delivery, 60 s at
// most. `format` is "json" (a Chrome trace, compressed if the path ends in
// .gz), "pb" (Paddle's node trees) or "capture". NULL: by the end of the path,
// .sscap or .paddle_trace.pb, else a Chrome trace. The file appears when it is
// complete.
STEPSCOPE_API int stepscope_profiler_export(
    stepscope_profiler* profiler, const char* path,
    const char* format) STEPSCOPE_NOEXCEPT;

// The same, with a file name as Paddle makes it, in `folder`:
// <worker>_time_<date and time>.paddle_trace.json, .paddle_trace.pb for the
// format "pb", or .sscap for the format "capture". `worker` NULL or "":
// host_<hostname>pid_<pid>.
STEPSCOPE_API int stepscope_profiler_export_to(
    stepscope_profiler* profiler, const char* folder, const char* worker,
    const char* format) STEPSCOPE_NOEXCEPT;

// Creates a folder and the folders above it.
STEPSCOPE_API int stepscope_make_folder(const char* path) STEPSCOPE_NOEXCEPT;

// Writes what the steps since the last call cost on average, such as
// " reader_cost: 0.00010 s batch_cost: 0.00790 s ips: 506.329 images/s".
// `unit` NULL: "samples". NUL-terminated; STEPSCOPE_TRUNCATED if the text does
// not fit.
STEPSCOPE_API int stepscope_profiler_step_info(stepscope_profiler* profiler,
                                               const char* unit, char* buffer,
                                               size_t size) STEPSCOPE_NOEXCEPT;

// Copies the reason of the last failure of this profiler since start, of a call
// or of a callback, on any thread. "" if nothing failed.
STEPSCOPE_API int stepscope_profiler_last_error(
    const stepscope_profiler* profiler, char* buffer,
    size_t size) STEPSCOPE_NOEXCEPT;

// The number of the current step, from 0.
STEPSCOPE_API int64_t stepscope_profiler_step_number(
    const stepscope_profiler* profiler) STEPSCOPE_NOEXCEPT;
// The state of the current step, a stepscope_profiler_state.
STEPSCOPE_API int stepscope_profiler_state_now(
    const stepscope_profiler* profiler) STEPSCOPE_NOEXCEPT;

// Time spent waiting for a batch of data: between begin and end. Recorded as a
// Dataloader event, and counted by the profiler that was started last. `reader`
// tells data loaders apart: while a second one is in use (validation inside
// training), its time is not counted.
typedef struct stepscope_read {
  stepscope_scope scope;
  int64_t begin_ns;
  const void* reader;
} stepscope_read;

STEPSCOPE_API stepscope_read stepscope_reader_begin(const void* reader)
    STEPSCOPE_NOEXCEPT;
STEPSCOPE_API void stepscope_reader_end(stepscope_read read) STEPSCOPE_NOEXCEPT;
// Instead of end, if there was no further batch: the time is not counted.
STEPSCOPE_API void stepscope_reader_cancel(stepscope_read read)
    STEPSCOPE_NOEXCEPT;

// Marks the end of a step (a request, a batch) in a program without a profiler,
// which is profiled by the environment variable STEPSCOPE_PERIOD or
// STEPSCOPE_STEPS, or by `stepscope run`. Costs one load and a branch if it is
// not.
STEPSCOPE_API void stepscope_step(void) STEPSCOPE_NOEXCEPT;

#if defined(STEPSCOPE_DISABLE)
#include <stepscope/disabled.h>
#endif

#ifdef __cplusplus
}
#endif
