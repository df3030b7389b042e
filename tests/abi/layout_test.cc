// SPDX-License-Identifier: Apache-2.0
//
// The hot path of c.h is inlined into users' programs: its layout is binary
// interface. Compiling this file is the test; if a line fails, the change needs
// new symbols with a new version suffix.
#include <stepscope/c.h>
#include <stepscope/plugin.h>

#include <cstddef>

static_assert(sizeof(stepscope_slot_v1) == 16);
static_assert(offsetof(stepscope_slot_v1, begin) == 0);
static_assert(offsetof(stepscope_slot_v1, dur) == 8);
static_assert(offsetof(stepscope_slot_v1, site) == 12);

static_assert(sizeof(stepscope_thread_v1) == 32);
static_assert(alignof(stepscope_thread_v1) == 32);
static_assert(offsetof(stepscope_thread_v1, cur) == 0);
static_assert(offsetof(stepscope_thread_v1, end) == 8);
static_assert(offsetof(stepscope_thread_v1, generation) == 16);
static_assert(offsetof(stepscope_thread_v1, busy) == 20);
static_assert(offsetof(stepscope_thread_v1, state) == 24);

static_assert(sizeof(stepscope_scope) == 16);
static_assert(offsetof(stepscope_scope, slot) == 0);
static_assert(offsetof(stepscope_scope, begin) == 8);

static_assert(sizeof(stepscope_site) == 16);
static_assert(offsetof(stepscope_site, type) == 8);
static_assert(offsetof(stepscope_site, id) == 12);

static_assert(STEPSCOPE_CHUNK_BYTES == 65536);
static_assert(STEPSCOPE_SLOT_MASK == 0xffc0);
static_assert(STEPSCOPE_DUR_LIMIT == 0xfffffff0u);
static_assert(STEPSCOPE_DUR_INSTANT == 0xffffffffu);

// Options and figures grow at the end only; struct_size says how far.
static_assert(offsetof(stepscope_options, struct_size) == 0);
static_assert(offsetof(stepscope_options, path) == 8);
static_assert(offsetof(stepscope_options, memory_budget) == 16);
static_assert(offsetof(stepscope_options, max_file) == 24);
static_assert(offsetof(stepscope_stats, struct_size) == 0);
static_assert(offsetof(stepscope_stats, dropped) == 8);
static_assert(offsetof(stepscope_stats, names) == 72);

// Wire values.
static_assert(STEPSCOPE_OPERATOR == 0 && STEPSCOPE_DATALOADER == 1 &&
              STEPSCOPE_PROFILE_STEP == 2 && STEPSCOPE_CUDA_RUNTIME == 3 &&
              STEPSCOPE_KERNEL == 4 && STEPSCOPE_MEMCPY == 5 &&
              STEPSCOPE_MEMSET == 6 && STEPSCOPE_USER_DEFINED == 7 &&
              STEPSCOPE_OPERATOR_INNER == 8 && STEPSCOPE_FORWARD == 9 &&
              STEPSCOPE_BACKWARD == 10 && STEPSCOPE_OPTIMIZATION == 11 &&
              STEPSCOPE_COMMUNICATION == 12 && STEPSCOPE_PYTHON_OP == 13 &&
              STEPSCOPE_PYTHON_USER_DEFINED == 14 &&
              STEPSCOPE_PYTHON_FUNCTION == 32 &&
              STEPSCOPE_SYNCHRONIZATION == 33 && STEPSCOPE_OVERHEAD == 34 &&
              STEPSCOPE_GRAPH_LAUNCH == 35 && STEPSCOPE_REQUEST == 36);

// Device plugins: the tables grow at the end only, records are stored on disk.
static_assert(offsetof(stepscope_plugin_host, struct_size) == 0);
static_assert(offsetof(stepscope_plugin_host, context) == 8);
static_assert(offsetof(stepscope_plugin_host, now_ticks) == 16);
static_assert(offsetof(stepscope_plugin_host, intern) == 24);
static_assert(offsetof(stepscope_plugin_host, reserve_block) == 32);
static_assert(offsetof(stepscope_plugin_host, commit_block) == 40);
static_assert(offsetof(stepscope_plugin_host, report_capability) == 48);
static_assert(offsetof(stepscope_plugin_host, window) == 56);
static_assert(offsetof(stepscope_plugin_host, flags) == 64);
static_assert(offsetof(stepscope_plugin_host, counters_us) == 68);
static_assert(offsetof(stepscope_plugin_host, thread) == 72);
static_assert(offsetof(stepscope_plugin, struct_size) == 0);
static_assert(offsetof(stepscope_plugin, name) == 8);
static_assert(offsetof(stepscope_plugin, device_type) == 16);
static_assert(offsetof(stepscope_plugin, query) == 24);
static_assert(offsetof(stepscope_plugin, attach) == 32);
static_assert(offsetof(stepscope_plugin, poll) == 40);
static_assert(offsetof(stepscope_plugin, detach) == 48);
static_assert(offsetof(stepscope_plugin, set_recording) == 56);
static_assert(sizeof(stepscope_record_head) == 8);
static_assert(sizeof(stepscope_record_work) == 64);
static_assert(offsetof(stepscope_record_work, correlation) == 24);
static_assert(offsetof(stepscope_record_work, details) == 44);
static_assert(offsetof(stepscope_record_work, graph_node) == 56);
static_assert(sizeof(stepscope_record_pair) == 16);
static_assert(sizeof(stepscope_record_details) == 16);
static_assert(sizeof(stepscope_record_call) == 40);
static_assert(sizeof(stepscope_record_wait) == 48);
static_assert(sizeof(stepscope_record_memory) == 64);
static_assert(sizeof(stepscope_record_device) == 16);
static_assert(sizeof(stepscope_record_overhead) == 32);
static_assert(sizeof(stepscope_record_note) == 24);
static_assert(sizeof(stepscope_record_stats) == 24);
static_assert(sizeof(stepscope_record_clock) == 32);
static_assert(sizeof(stepscope_record_node) == 32);
static_assert(sizeof(stepscope_record_value) == 16);
static_assert(sizeof(stepscope_record_sample) == 32);

int main() { return 0; }
