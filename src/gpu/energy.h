// SPDX-License-Identifier: Apache-2.0
//
// Energy: the mean power of one device, from the counter of joules that NVML
// has. The driver changes that counter ten times a second, and reading it takes
// milliseconds; so it is read from change to change, two seconds apart.
// Device thread only.
#pragma once

#include <cstddef>
#include <cstdint>

namespace stepscope::gpu {

class Energy {
 public:
  struct Mean {
    uint64_t start = 0;  // ticks
    uint64_t end = 0;
    double watts = 0;
  };

  // `bus` is the device's place, as PciBusId() says. False: NVML is not there,
  // or the device has no such counter.
  bool Open(const char* bus);
  // True: `mean` is new. `now_ns` is monotonic, `tick` the same instant.
  bool Read(int64_t now_ns, uint64_t tick, Mean* mean);

 private:
  bool Joules(double* joules) const;

  void* handle_ = nullptr;
  int (*read_)(void*, unsigned long long*) = nullptr;
  int64_t due_ns_ = 0;
  double last_ = -1;  // as of the reading before
  bool settled_ = false;
  double from_ = 0;  // as of the change at from_ns_
  int64_t from_ns_ = 0;
  uint64_t from_tick_ = 0;
};

}  // namespace stepscope::gpu
