// SPDX-License-Identifier: Apache-2.0
//
// Energy: what one device used, from the counter of joules that NVML has. The
// driver changes that counter ten times a second, and reading it takes
// milliseconds; so it is read from change to change, two seconds apart.
// Device thread only.
#pragma once

#include <cstddef>
#include <cstdint>

namespace stepscope::gpu {

class Energy {
 public:
  struct Window {
    uint64_t start = 0;  // ticks
    uint64_t end = 0;
    int64_t millijoules = 0;
    // What the counter rose by at once, at the start or at the end: by so much
    // each end may be off.
    int64_t step_millijoules = 0;
    double watts = 0;
  };
  enum class Found : uint8_t { kNothing, kWindow, kWentBack, kFailed };

  // `bus` is the device's place, as PciBusId() says. False: NVML is not there,
  // or has no counter of this device alone; `why` has a line for the user.
  bool Open(const char* bus, char* why, size_t size);
  // kWindow: `window` is new. kWentBack: what was counted since the last one is
  // not known. kFailed: as Open(), and nothing more will come. `now_ns` is
  // monotonic, `tick` the same instant.
  Found Read(int64_t now_ns, uint64_t tick, Window* window, char* why,
             size_t size);

 private:
  int Count(int64_t* millijoules) const;
  void Begin(int64_t now_ns, uint64_t tick, int64_t millijoules,
             int64_t step_millijoules);

  void* handle_ = nullptr;
  int (*read_)(void*, unsigned long long*) = nullptr;
  int64_t due_ns_ = 0;
  int64_t last_ = -1;  // as of the reading before; below 0: none
  bool begun_ = false;
  int64_t from_ = 0;  // as of the change at from_ns_
  int64_t from_step_ = 0;
  int64_t from_ns_ = 0;
  uint64_t from_tick_ = 0;
};

}  // namespace stepscope::gpu
