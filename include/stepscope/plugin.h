// SPDX-License-Identifier: Apache-2.0
//
// How a device (a GPU or another accelerator) is recorded. A device plugin is a
// shared library that the collector, here called the host, loads at run time.
// Nothing in this interface is specific to CUDA.
//
// A plugin exports one function, stepscope_plugin_v1(), which returns a table
// of entry points. The host calls them on a thread of its own, one call at a
// time, never on a thread that trains:
//
//   query    Can the device be recorded on this machine? Once per process.
//   attach   Begin to collect. Returns STEPSCOPE_NOT_RUNNING if nothing in this
//            process uses the device yet: the session begins without it, and
//            attach is called again every few milliseconds.
//   poll     Turn what was collected into records. Called every few
//            milliseconds.
//   detach   Stop collecting, hand over the rest, leave nothing behind.
//
// A plugin may have one more, with which a host spends less time on recording:
//
//   set_recording  Leave work out that is launched from now on, or take it in
//                  again. What was launched before is handed over as always.
//
// The plugin returns what it collected in blocks: it calls reserve_block, fills
// the block with records, and calls commit_block. There is no call per record,
// and one call per name. If a plugin does not return from a call, the host
// continues without it: only the rest of its own records is lost.
//
// Both tables begin with their size, and new entries are added at the end. Use
// an entry only if struct_size covers it. Ticks are those of the capture's
// clock.
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
  STEPSCOPE_DEVICE_RECORDING = 1,  // text: what records it
  STEPSCOPE_DEVICE_ABSENT = 2,     // no such device; text: what shows that
  STEPSCOPE_DEVICE_REFUSED = 3,    // cannot be recorded; text: why, what to do
  STEPSCOPE_DEVICE_PARTIAL = 4     // recorded with gaps; text: which, and why
};

// What the host offers. `context` is the first argument of every function. All
// functions may be called from any thread, but only between the start of attach
// and the end of detach; report_capability and intern also in query.
typedef struct stepscope_plugin_host {
  uint32_t struct_size;
  uint32_t abi;  // STEPSCOPE_PLUGIN_ABI
  void* context;
  // Now, in ticks.
  uint64_t (*now_ticks)(void* context);
  // The id of a name for records. `type` is a stepscope_event_type.
  uint32_t (*intern)(void* context, const char* name, size_t length,
                     uint32_t type);
  // Memory for `bytes` of records, aligned to 8. `bytes` is at most
  // STEPSCOPE_DEVICE_BLOCK_BYTES. NULL: the capture is not written as fast as
  // the plugin fills blocks. May wait some milliseconds.
  void* (*reserve_block)(void* context, size_t bytes);
  // Hands over the first `bytes` of a reserved block, which hold `records`
  // records. 0 bytes: gives the block back unused. Returns a stepscope_status.
  int (*commit_block)(void* context, void* block, size_t bytes,
                      uint32_t records);
  // Reports one line of text for the user. The last one replaces all before.
  void (*report_capability)(void* context, uint32_t state, const char* text);
  // The time that is recorded, in ticks. *begin is 0 as long as recording has
  // not begun (a plugin is attached early, to warm up); leave out what ended
  // before *begin. *end is 0 until recording stops; leave out calls that began
  // after *end, but keep device work that was launched before it. Readers leave
  // out work without a call.
  void (*window)(void* context, uint64_t* begin, uint64_t* end);
  uint32_t flags;  // stepscope_host_flag, as of the call that is being made
  // Sample the hardware's counters this often; 0: not. As of the call.
  uint32_t counters_us;
  // The id of the calling thread, as gettid() says, without asking the system.
  uint32_t (*thread)(void* context);
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
  // Should return within `timeout_ms`. The host waits a little longer.
  int (*detach)(const stepscope_plugin_host* host, uint32_t timeout_ms);
  // May be NULL. Between attach, which begins with `on` = 1, and detach. After
  // success with 0 launches cost as little as the plugin can make them while
  // it stays attached; what is left out then is not lost and not counted. After
  // success with 1 all work launched from then on is recorded. On failure the
  // host takes nothing for recorded in full and calls again.
  int (*set_recording)(const stepscope_plugin_host* host, uint32_t on);
} stepscope_plugin;

// Exported by a plugin.
STEPSCOPE_API const stepscope_plugin* stepscope_plugin_v1(void)
    STEPSCOPE_NOEXCEPT;

// Records ---------------------------------------------------------------------
//
// A block holds records one after another. The size of a record is a multiple
// of 8 bytes. Readers use `bytes` to skip kinds that they do not know, and a
// later version may make a record longer. Stored on disk: never renumber, never
// reorder.

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
  STEPSCOPE_RECORD_CLOCK = 10,
  STEPSCOPE_RECORD_NODE = 11,
  STEPSCOPE_RECORD_PART = 12,
  STEPSCOPE_RECORD_SAMPLE = 13
};

// `name` comes from intern; the type given there says what the event is.
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

// Arguments that many records share: grid, block, registers. The pairs follow
// the record. A later record with the same id replaces it for the records that
// come after.
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

// A count since attach. A later record with the same name and meaning replaces
// an earlier one.
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

// How the times of the device were converted to ticks, and how large the error
// may be. If there are several, the largest error applies.
typedef struct stepscope_record_clock {
  stepscope_record_head head;  // name: 0
  uint32_t method;             // stepscope_device_clock
  uint32_t unused;
  uint64_t tick;
  uint64_t error_ticks;
} stepscope_record_clock;

// A node of a graph came into being, so that work of this node
// (stepscope_record_work::graph_node) is known as what a call captured.
typedef struct stepscope_record_node {
  stepscope_record_head head;  // name: 0
  uint64_t node;
  uint64_t original;     // the node that it is a copy of; 0: none
  uint64_t correlation;  // of the call that made it; 0: none was seen
} stepscope_record_node;

// A part of a file that another tool of the process made; its bytes follow.
// Parts come in order. See stepscope_add_file().
typedef struct stepscope_record_part {
  stepscope_record_head head;  // name: 0
  uint64_t offset;             // of the part
  uint64_t total;              // bytes of the whole file
  uint32_t kind;               // stepscope_file_kind
  uint32_t count;              // bytes of the part
} stepscope_record_part;

// The value of a counter (`key` is interned).
typedef struct stepscope_record_value {
  uint32_t key;
  uint32_t unused;
  double value;
} stepscope_record_value;

// Counters of a device: their means from start to end. The values follow.
typedef struct stepscope_record_sample {
  stepscope_record_head head;  // name: 0
  uint64_t start;
  uint64_t end;
  uint32_t device;
  uint32_t count;  // values
} stepscope_record_sample;

// The host's side -------------------------------------------------------------

enum stepscope_devices_mode {
  STEPSCOPE_DEVICES_OFF = 0,   // record the host alone
  STEPSCOPE_DEVICES_AUTO = 1,  // the default: record what the machine has
  STEPSCOPE_DEVICES_LATER = 2  // not at start, but when
                               // stepscope_attach_devices() is called
};

// Sets the mode for sessions that are prepared or started after this call.
// STEPSCOPE_GPU=0 in the environment means OFF in any case.
STEPSCOPE_API void stepscope_use_devices(int mode) STEPSCOPE_NOEXCEPT;

// Counters of the devices' hardware, such as busy tensor cores and bytes of
// memory, are sampled every `interval_us` in sessions that are prepared or
// started after this call. 0, as before the first call: every
// STEPSCOPE_GPU_COUNTERS microseconds, a variable of the environment; without
// it they are not.
STEPSCOPE_API void stepscope_use_counters(uint32_t interval_us)
    STEPSCOPE_NOEXCEPT;

// For libraries that are loaded while the device library initialises: attaches
// the plugins to the session that records or is prepared, and waits for them
// for a limited time. Plugins that are attached stay so. STEPSCOPE_NOT_RUNNING
// if there is no session.
STEPSCOPE_API int stepscope_attach_devices(void) STEPSCOPE_NOEXCEPT;

// Whether device work that is launched from now on is recorded (1) or left out
// (0), by plugins that can leave it out, until the session stops. Returns at
// once: a thread of the collector tells the plugins.
STEPSCOPE_API void stepscope_record_device_work(int on) STEPSCOPE_NOEXCEPT;

// What has come of it by now.
enum stepscope_device_work_state {
  STEPSCOPE_WORK_ALWAYS = 0,    // no plugin that can leave work out is attached
  STEPSCOPE_WORK_LEFT_OUT = 1,  // some may be: as asked for, or not yet done
  STEPSCOPE_WORK_RECORDED = 2   // all that is launched from here on
};
STEPSCOPE_API int stepscope_device_work(void) STEPSCOPE_NOEXCEPT;

// Copies the last report of each plugin, one line each: "GPU: recording: ...".
// Empty if there is no plugin. NUL-terminated; cut if it does not fit.
STEPSCOPE_API void stepscope_device_report(char* buffer,
                                           size_t size) STEPSCOPE_NOEXCEPT;

#ifdef __cplusplus
}
#endif
