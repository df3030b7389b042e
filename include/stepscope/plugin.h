// SPDX-License-Identifier: Apache-2.0
//
// How a device (a GPU, another accelerator) is recorded: the interface between
// the collector, the host, and a device plugin, a shared library that the host
// loads at run time. Nothing in here is CUDA's.
//
// A plugin exports one function, stepscope_plugin_v1(), which returns a table
// of entry points. The host calls them on a thread of its own, one call at a
// time, never on a thread that trains:
//
//   query    may this machine be recorded? Once per process.
//   attach   begin to collect. STEPSCOPE_NOT_RUNNING: nothing in this process
//            uses the device yet; the session begins without it, and attach is
//            called again every few milliseconds while it lasts.
//   poll     every few milliseconds: turn what has come into records.
//   detach   stop collecting, hand over the rest, leave nothing behind.
//
// The plugin gives what it collected back in blocks: reserve_block, fill it
// with records, commit_block. There is no call per record, and names are
// interned once each. A plugin that does not return from a call loses the rest
// of its own records and nothing else: the host goes on without it.
//
// Both tables begin with their size and grow at the end only: use a slot only
// if struct_size covers it. Ticks are those of the capture's clock.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <stepscope/c.h>

#ifdef __cplusplus
extern "C" {
#endif

#define STEPSCOPE_PLUGIN_ABI 1u

// What a plugin can say about its device. Stored on disk: never renumber.
enum stepscope_device_state {
  STEPSCOPE_DEVICE_RECORDING = 1,  // text: with what
  STEPSCOPE_DEVICE_ABSENT = 2,     // there is no such device; text: how known
  STEPSCOPE_DEVICE_REFUSED = 3,    // there may be one; text: why not, remedy
  STEPSCOPE_DEVICE_PARTIAL = 4     // recorded with gaps; text: which and why
};

// What the host offers. `context` is the first argument of every slot. All
// slots may be called from any thread, but only between the start of attach
// and the end of detach, report_capability and intern also from query.
typedef struct stepscope_plugin_host {
  uint32_t struct_size;
  uint32_t abi;  // STEPSCOPE_PLUGIN_ABI
  void* context;
  // Now, in ticks.
  uint64_t (*now_ticks)(void* context);
  // The id of a name for records. `type` is a stepscope_event_type.
  uint32_t (*intern)(void* context, const char* name, size_t length,
                     uint32_t type);
  // Room for `bytes` of records, aligned to 8, or NULL: the capture cannot be
  // written as fast as the plugin fills it. May wait some milliseconds.
  // `bytes` is at most STEPSCOPE_DEVICE_BLOCK_BYTES.
  void* (*reserve_block)(void* context, size_t bytes);
  // Hands over the first `bytes` of a reserved block, `records` records; 0
  // bytes gives it back unused. Returns a stepscope_status.
  int (*commit_block)(void* context, void* block, size_t bytes,
                      uint32_t records);
  // One line for the user; the last one given counts.
  void (*report_capability)(void* context, uint32_t state, const char* text);
  // The recorded window in ticks. *begin is 0 while nothing is being recorded
  // yet (a plugin is attached early, to warm up): what ended before it is not
  // wanted. *end is 0 until recording stopped: calls that began after it are
  // not. Work that begins after it is, if it was launched before; readers
  // leave out what has no call.
  void (*window)(void* context, uint64_t* begin, uint64_t* end);
  uint32_t flags;  // stepscope_host_flag, as of the call that is being made
  uint32_t unused;
} stepscope_plugin_host;

enum stepscope_host_flag {
  STEPSCOPE_HOST_EARLY = 1  // attach: the device library is initialising
};

#define STEPSCOPE_DEVICE_BLOCK_BYTES (256u * 1024u)

enum stepscope_poll_flag {
  STEPSCOPE_POLL_FLUSH = 1  // also fetch what the device library still holds
};

// What a plugin offers. All but `name` and `device_type` return a
// stepscope_status; 0 is success.
typedef struct stepscope_plugin {
  uint32_t struct_size;
  uint32_t abi;             // STEPSCOPE_PLUGIN_ABI
  const char* name;         // "cupti"
  const char* device_type;  // "GPU": what timelines and tables call it
  int (*query)(const stepscope_plugin_host* host);
  int (*attach)(const stepscope_plugin_host* host);
  int (*poll)(const stepscope_plugin_host* host, uint32_t flags);
  // Should return within `timeout_ms`; the host waits a little longer.
  int (*detach)(const stepscope_plugin_host* host, uint32_t timeout_ms);
} stepscope_plugin;

// Exported by a plugin.
STEPSCOPE_API const stepscope_plugin* stepscope_plugin_v1(void)
    STEPSCOPE_NOEXCEPT;

// Records ---------------------------------------------------------------------
//
// A block is a run of records, each a multiple of 8 bytes. Readers step over
// kinds they do not know by `bytes`, and a later version may lengthen a record.
// Stored on disk: never renumber, never reorder.

enum stepscope_device_record_kind {
  STEPSCOPE_RECORD_WORK = 1,
  STEPSCOPE_RECORD_DETAILS = 2,
  STEPSCOPE_RECORD_CALL = 3,
  STEPSCOPE_RECORD_WAIT = 4,
  STEPSCOPE_RECORD_MEMORY = 5,
  STEPSCOPE_RECORD_DEVICE = 6,
  STEPSCOPE_RECORD_OVERHEAD = 7,
  STEPSCOPE_RECORD_NOTE = 8,
  STEPSCOPE_RECORD_STATS = 9,
  STEPSCOPE_RECORD_CLOCK = 10
};

// `name` is an interned name; its type says what the event is.
typedef struct stepscope_record_head {
  uint16_t kind;
  uint16_t bytes;  // of the whole record
  uint32_t name;
} stepscope_record_head;

// Something the device did: kernel, copy, set, whole graph.
typedef struct stepscope_record_work {
  stepscope_record_head head;
  uint64_t start;
  uint64_t end;
  uint64_t correlation;  // of the call that launched it; 0: none
  uint32_t device;
  uint32_t context;
  uint32_t stream;
  uint32_t details;     // id of a DETAILS record; 0: none
  uint64_t amount;      // bytes copied or set
  uint64_t graph_node;  // 0: not part of a graph
} stepscope_record_work;

// A number with a name (`key` is interned).
typedef struct stepscope_record_pair {
  uint32_t key;
  uint32_t unused;
  int64_t value;
} stepscope_record_pair;

// Arguments that many records share: grid, block, registers. The pairs follow.
// Of two with the same id the later one counts for what comes after it.
typedef struct stepscope_record_details {
  stepscope_record_head head;  // name: 0
  uint32_t id;                 // not 0
  uint32_t count;              // pairs
} stepscope_record_details;

// A call of the device's API on a thread of the host.
typedef struct stepscope_record_call {
  stepscope_record_head head;
  uint64_t start;
  uint64_t end;
  uint64_t correlation;
  uint32_t thread;  // as gettid() says
  uint32_t result;  // 0: success
} stepscope_record_call;

// The host, or a stream, waited for the device.
typedef struct stepscope_record_wait {
  stepscope_record_head head;
  uint64_t start;
  uint64_t end;
  uint64_t correlation;  // of the call that waited
  uint32_t context;
  uint32_t stream;  // 0xffffffff: no certain one
  uint32_t event;   // 0xffffffff: no certain one
  uint32_t device;  // 0xffffffff: not stated
} stepscope_record_wait;

typedef struct stepscope_record_memory {
  stepscope_record_head head;  // name: the place, "Place(gpu:0)"
  uint64_t tick;
  uint64_t address;
  uint64_t bytes;
  uint64_t total_allocated;  // 0: not stated
  uint64_t total_reserved;   // 0: not stated
  uint64_t correlation;
  uint32_t kind;  // stepscope_memory_kind
  uint32_t device;
} stepscope_record_memory;

// One device: its properties follow as pairs.
typedef struct stepscope_record_device {
  stepscope_record_head head;  // name: "NVIDIA H200"
  uint32_t device;
  uint32_t count;
} stepscope_record_device;

// Time that recording itself took.
typedef struct stepscope_record_overhead {
  stepscope_record_head head;
  uint64_t start;
  uint64_t end;
  uint32_t thread;  // 0: not a thread's
  uint32_t unused;
} stepscope_record_overhead;

// Arguments of the call with this correlation. The pairs follow.
typedef struct stepscope_record_note {
  stepscope_record_head head;  // name: 0
  uint64_t correlation;
  uint32_t unused;
  uint32_t count;
} stepscope_record_note;

enum stepscope_stats_meaning {
  STEPSCOPE_STATS_SEEN = 0,     // records of the device library looked at
  STEPSCOPE_STATS_REJECTED = 1  // of those, left out; head.name: why
};

// A count since attach. Of several with the same name and meaning the last
// counts.
typedef struct stepscope_record_stats {
  stepscope_record_head head;
  uint32_t meaning;  // stepscope_stats_meaning
  uint32_t unused;
  uint64_t count;
} stepscope_record_stats;

enum stepscope_device_clock {
  STEPSCOPE_CLOCK_SHARED = 1,  // the device library stamps with our ticks
  STEPSCOPE_CLOCK_MAPPED = 2   // its own clock, mapped by bracketed readings
};

// How device times became ticks, and how wrong they may be. The largest error
// of several counts.
typedef struct stepscope_record_clock {
  stepscope_record_head head;  // name: 0
  uint32_t method;             // stepscope_device_clock
  uint32_t unused;
  uint64_t tick;
  uint64_t error_ticks;
} stepscope_record_clock;

// The host's side -------------------------------------------------------------

enum stepscope_devices_mode {
  STEPSCOPE_DEVICES_OFF = 0,    // record the host alone
  STEPSCOPE_DEVICES_AUTO = 1,   // the default: record what the machine has
  STEPSCOPE_DEVICES_LATER = 2   // not at start, but when
                                // stepscope_attach_devices() is called
};

// For sessions that are prepared or started from now on. STEPSCOPE_GPU=0 in
// the environment means OFF whatever is asked for here.
STEPSCOPE_API void stepscope_use_devices(int mode) STEPSCOPE_NOEXCEPT;

// For libraries that are loaded as the device library initialises: attaches
// the plugins to the session that records or is prepared; what is attached
// already stays. Waits for them, bounded. NOT_RUNNING without a
// session.
STEPSCOPE_API int stepscope_attach_devices(void) STEPSCOPE_NOEXCEPT;

// Copies what the plugins last said, one line each: "GPU: recording: ...".
// Empty when there is no plugin. NUL-terminated, cut off where it does not fit.
STEPSCOPE_API void stepscope_device_report(char* buffer, size_t size)
    STEPSCOPE_NOEXCEPT;

#ifdef __cplusplus
}
#endif
