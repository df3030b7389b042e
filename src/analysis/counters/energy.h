// SPDX-License-Identifier: Apache-2.0
//
// Energy of devices, from windows over which the recorder read a device's
// counter of joules. It is whole millijoules, so that parts add up to the whole
// exactly.
//
// Inside a window nothing says when the energy was spent. Part of a window gets
// a share of it by time, as if the device drew the same power all through it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/interval.h"
#include "trace/trace.h"

namespace stepscope {

struct EnergyWindow {
  Interval time;
  int64_t mj = 0;
  // What the counter rises by at once: by so much each end may be off.
  int64_t step_mj = 0;
};

struct EnergyPart {
  int64_t mj = 0;
  int64_t error_mj = 0;     // at most, by what the counter can say
  int64_t measured_ns = 0;  // of the time asked for
  bool shared = false;      // a window reaches beyond that

  void Add(const EnergyPart& other) {
    mj = SaturatingAdd(mj, other.mj);
    error_mj = SaturatingAdd(error_mj, other.error_mj);
    measured_ns = SaturatingAdd(measured_ns, other.measured_ns);
    shared |= other.shared;
  }
};

// Of one device, as one process recorded it.
class DeviceEnergy {
 public:
  // REQUIRES: windows are by time, do not overlap, and take time; sums of their
  // energies and steps are an int64_t.
  DeviceEnergy(uint32_t process, int64_t device,
               std::vector<EnergyWindow> windows);

  uint32_t process() const { return process_; }
  int64_t device() const { return device_; }
  std::span<const EnergyWindow> windows() const { return windows_; }
  // Times that follow one another have energies that add up to that of the
  // whole.
  EnergyPart Of(const Interval& time) const;
  // From the first window to the last.
  EnergyPart All() const;

 private:
  struct Spent {
    int64_t mj = 0;
    int64_t ns = 0;  // that were measured
  };
  // The first window that ends after a time.
  size_t FirstAfter(int64_t time_ns) const;
  Spent Until(int64_t time_ns) const;

  uint32_t process_;
  int64_t device_;
  std::vector<EnergyWindow> windows_;
  std::vector<Spent> before_;  // each window, and all
};

// By process and device. What makes no sense is not measured.
std::vector<DeviceEnergy> FindDeviceEnergy(const Trace& trace);

}  // namespace stepscope
