// SPDX-License-Identifier: Apache-2.0
//
// What the fake libcupti remembers, shared by its controls and by the functions
// that the plugin calls.
#pragma once

#include <cupti.h>
#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace fake {

struct Buffer {
  uint8_t* bytes = nullptr;
  size_t size = 0;
  size_t used = 0;
  std::vector<size_t> unfinished;  // offsets of kernels without an end
};

struct State {
  std::map<std::string, int> fail;
  std::map<std::string, int64_t> set;
  int64_t drift_since_ns = 0;
  std::map<std::string, int64_t> calls;
  std::set<int> enabled;
  CUpti_SubscriberHandle subscriber = nullptr;
  CUpti_CallbackFunc callback = nullptr;
  std::set<uint32_t> resources;               // with callbacks, by their id
  std::set<int> domains;                      // with callbacks at every call
  std::set<std::pair<int, uint32_t>> single;  // functions with callbacks
  CUpti_BuffersCallbackRequestFunc request = nullptr;
  CUpti_BuffersCallbackCompleteFunc complete = nullptr;
  CUpti_TimestampCallbackFunc timestamp = nullptr;
  std::map<pid_t, Buffer> buffers;  // by thread
  Buffer last;                      // completed last
  uint32_t correlation = 0;
  uint64_t records = 0;
  uint64_t dropped = 0;
  uint64_t dropped_ever = 0;
};

extern std::recursive_mutex mutex;
extern State* state;
// Threads in a call, less those that are at a callback at its border.
extern std::atomic<int> inside;

using Lock = std::lock_guard<std::recursive_mutex>;

// Counts the call; what it shall return instead of working, or success.
CUptiResult Enter(const char* function);
int64_t Setting(const char* what);
uint64_t Now();
size_t SizeOf(CUpti_ActivityKind kind);
// Gives a buffer back to whom it came from.
void Complete(Buffer& buffer);
// Writes the description of the device.
void Device();

}  // namespace fake
