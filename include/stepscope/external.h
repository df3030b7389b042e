// SPDX-License-Identifier: Apache-2.0
//
// For adapters of frameworks that have a profiler of their own: what that one
// recorded becomes part of the capture that is being recorded here.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stepscope/c.h>

#ifdef __cplusplus
extern "C" {
#endif

// One instant on two clocks.
typedef struct stepscope_clock_pair {
  uint64_t tick;        // of the capture's clock
  int64_t realtime_ns;  // CLOCK_REALTIME
} stepscope_clock_pair;

STEPSCOPE_API void stepscope_read_clocks(stepscope_clock_pair* now)
    STEPSCOPE_NOEXCEPT;

// An event of a thread of this process that somebody else timed.
typedef struct stepscope_external_event {
  const char* name;  // need not end with NUL
  size_t name_length;
  uint32_t type;     // stepscope_event_type
  uint32_t thread;   // as gettid() says
  int64_t start_ns;  // CLOCK_REALTIME
  int64_t end_ns;
} stepscope_external_event;

// Adds events to the session that records. Parents come before their children.
// `since` was read when the other profiler started, at least some microseconds
// ago: its times are mapped to ticks between then and now, so that a clock that
// is being adjusted does not move them. The names are copied. Waits for the
// writer of the capture if need be. `added` may be NULL; what was not added is
// lost: events that end before they start, and those that found no room in
// time. STEPSCOPE_NOT_RUNNING if nothing is recorded.
STEPSCOPE_API int stepscope_add_external(const stepscope_external_event* events,
                                         size_t count,
                                         const stepscope_clock_pair* since,
                                         size_t* added) STEPSCOPE_NOEXCEPT;

enum stepscope_file_kind {
  // What torch.cuda.memory._snapshot() returns, as a pickle.
  STEPSCOPE_FILE_TORCH_MEMORY = 1
};

// Adds a file that another tool of this process made to a session, also to the
// capture of one that was stopped. `session` 0: the one that records or, if
// none does, the one that was stopped last.
// Readers leave alone what they do not know, and of several files of a kind
// the last one counts. Waits for the writer of the capture if need be: not for
// the hot path. STEPSCOPE_NOT_RUNNING if there is no session.
STEPSCOPE_API int stepscope_add_file(uint64_t session, uint32_t kind,
                                     const void* bytes,
                                     size_t count) STEPSCOPE_NOEXCEPT;

// As stepscope_reader_begin, without an event: for a data loader that records
// one itself.
STEPSCOPE_API stepscope_read stepscope_reader_begin_silent(const void* reader)
    STEPSCOPE_NOEXCEPT;

#ifdef __cplusplus
}
#endif
