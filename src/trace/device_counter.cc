// SPDX-License-Identifier: Apache-2.0
#include "trace/device_counter.h"

#include <charconv>
#include <iterator>

namespace stepscope {
namespace {

constexpr std::string_view kCounterPrefix = "GPU ";
constexpr std::string_view kBeforeWords = ": ";

// By DeviceCounterKind.
constexpr std::string_view kCounterWords[] = {"SMs active (%)",
                                              "tensor cores active (%)",
                                              "warps active (%)",
                                              "DRAM read (B/s)",
                                              "DRAM written (B/s)",
                                              "PCIe read (B/s)",
                                              "PCIe written (B/s)",
                                              "NVLink received (B/s)",
                                              "NVLink sent (B/s)",
                                              "SM clock (Hz)",
                                              "power (W)",
                                              "energy (J)",
                                              "energy counter step (J)"};
static_assert(std::size(kCounterWords) == kDeviceCounterKinds);

}  // namespace

std::string_view DeviceCounterWords(DeviceCounterKind kind) {
  return kCounterWords[static_cast<size_t>(kind)];
}

std::string DeviceCounterTrackName(const DeviceCounter& counter) {
  std::string name(kCounterPrefix);
  name += std::to_string(counter.device);
  name += kBeforeWords;
  name += DeviceCounterWords(counter.kind);
  return name;
}

std::optional<DeviceCounter> FindDeviceCounter(std::string_view track_name) {
  if (!track_name.starts_with(kCounterPrefix)) return std::nullopt;
  track_name.remove_prefix(kCounterPrefix.size());
  DeviceCounter counter;
  const char* const last = track_name.data() + track_name.size();
  const auto [end, error] =
      std::from_chars(track_name.data(), last, counter.device);
  if (error != std::errc() || counter.device < 0) return std::nullopt;
  const std::string_view rest(end, static_cast<size_t>(last - end));
  if (!rest.starts_with(kBeforeWords)) return std::nullopt;
  const std::string_view words = rest.substr(kBeforeWords.size());
  for (size_t i = 0; i < kDeviceCounterKinds; ++i) {
    if (words != kCounterWords[i]) continue;
    counter.kind = static_cast<DeviceCounterKind>(i);
    return counter;
  }
  return std::nullopt;
}

}  // namespace stepscope
