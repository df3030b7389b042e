// SPDX-License-Identifier: Apache-2.0
//
// A libcupti without a GPU: a shared library with the functions that the
// plugin calls, behind which a test scripts what a device would do. Its own
// controls are the functions below, found with dlsym.
//
// As the real one by default, it keeps one buffer per thread. All functions
// are thread-safe.
#pragma once

#include <cstdint>

// One launch or copy and what the device made of it. Times are those of the
// timestamp callback, if one is registered.
struct FakeWork {
  enum Kind { kKernel, kMemcpy, kPeer, kMemset, kGraph };
  Kind kind = kKernel;
  const char* name = "kernel";
  uint32_t cbid = 2;  // of the runtime call; 0: of one that nobody listens to
  uint32_t device = 0;
  uint32_t stream = 7;
  int64_t lead = 1000;  // begins this long after its call did
  int64_t duration = 5000;
  bool zero_times = false;   // no timestamps could be taken
  bool reversed = false;     // ends before it starts
  bool wrong_clock = false;  // times of another clock, far in the future
  bool in_flight = false;    // has no end until fake_cupti_finish()
  uint64_t bytes = 4096;
  uint64_t graph_node = 0;
};

extern "C" {

// Back to a healthy CUPTI 13.0 without records or subscribers.
void fake_cupti_reset(void);

// `function` returns `result` from now on; 0: works again. "*": all.
void fake_cupti_fail(const char* function, int result);

// What can be set:
//   version          as cuptiGetVersion says it; below 130000: old structs
//   other_subscriber 1: another profiler is subscribed; 2: and allows others
//   hang_flush_ms    cuptiActivityFlushAll takes this long
//   take_over        1: another profiler registered its callbacks after ours
//   mig              1: the device is a MIG slice
//   unreadable       1: cuptiActivityGetNextRecord fails
//   endless          1: cuptiActivityGetNextRecord never comes to an end
//   clock_offset     added to times where no timestamp callback is registered
//   clock_drift      how much faster that clock is from now on, in millionths
//   metrics_in_a_pass  so many counters can be sampled together; 0: all
//   decode_ms        cuptiPmSamplingDecodeData takes this long
void fake_cupti_set(const char* what, int64_t value);

// Returns the correlation id, 0 if nothing was recorded.
uint32_t fake_cupti_work(const FakeWork* work);
// A runtime call that launches nothing.
uint32_t fake_cupti_call(uint32_t cbid);
// A call of the driver: the program's own, or a part of the runtime call that
// this thread is in, whose correlation id it then has.
void fake_cupti_driver_call(uint32_t cbid);
// The begin and the end of a runtime call.
void fake_cupti_enter(uint32_t cbid);
void fake_cupti_leave(uint32_t cbid);
void fake_cupti_wait(uint32_t type, uint32_t correlation);
void fake_cupti_event(uint32_t event, uint32_t correlation);
void fake_cupti_memory(uint64_t address, uint64_t bytes, int release,
                       uint32_t correlation);
void fake_cupti_overhead(uint32_t kind);
// A record of a kind that nobody knows.
void fake_cupti_unknown_kind(void);
// Ends what is in flight.
void fake_cupti_finish(void);
// The context-destroy callback, as cuCtxDestroy makes it.
void fake_cupti_destroy_context(void);
// A node of a graph comes into being, in the call that this thread is in;
// `original`: it is a copy of that one. 0: it is not.
void fake_cupti_node(uint64_t node, uint64_t original);
// Completes a buffer a second time.
void fake_cupti_complete_twice(void);

// The hardware of a device took a sample; times since 1970. 0: nobody samples
// that device.
int fake_cupti_sample(uint32_t device, uint64_t start, uint64_t end);
// What samples taken from now on say of a metric; before: 0.
void fake_cupti_metric(const char* metric, double value);
// The hardware's buffer of a device runs over: nothing more comes of it before
// it is disabled.
void fake_cupti_run_over(uint32_t device);
// Devices whose counters somebody holds.
int fake_cupti_samplers(void);

// How often `what` happened: the name of a function, or "enabled" (kinds on
// now), "single_calls" (functions with callbacks), "subscribers", "domains"
// (with callbacks at every call),
// "buffers_out", "records" (written), "dropped", "finalised_under_a_call" (of
// another thread: what crashes the real one), "hosts" (of metrics, open),
// "shared_subscriptions" (asked for). "interval_us" is that of samples, as set
// last.
int64_t fake_cupti_count(const char* what);

}  // extern "C"
