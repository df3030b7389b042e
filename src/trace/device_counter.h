// SPDX-License-Identifier: Apache-2.0
//
// Counters of a device's hardware, as tracks of a trace: "GPU 0: power (W)". A
// sample's value holds until the next sample of its track; not-a-number begins
// a time in which nothing was measured, and ends the track.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace stepscope {

// Shares are of what the hardware can do while its clock ticks.
enum class DeviceCounterKind : uint8_t {
  kSmsActive,
  kTensorCoresActive,
  kWarpsActive,
  kDramRead,
  kDramWritten,
  kPcieRead,
  kPcieWritten,
  kNvlinkReceived,
  kNvlinkSent,
  kSmClock,
  kPower,
  kEnergy,      // of the interval
  kEnergyStep,  // what the device's counter of joules rises by at once
};
inline constexpr size_t kDeviceCounterKinds = 13;

struct DeviceCounter {
  DeviceCounterKind kind = DeviceCounterKind::kSmsActive;
  int64_t device = 0;

  friend bool operator==(const DeviceCounter&, const DeviceCounter&) = default;
};

// "tensor cores active (%)"
std::string_view DeviceCounterWords(DeviceCounterKind kind);

std::string DeviceCounterTrackName(const DeviceCounter& counter);
// Nothing for a track of another kind.
std::optional<DeviceCounter> FindDeviceCounter(std::string_view track_name);

}  // namespace stepscope
