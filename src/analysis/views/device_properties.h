// SPDX-License-Identifier: Apache-2.0
//
// What a trace states about a device: as torch and Paddle write it
// ("deviceProperties", a list of objects), or as captures do ("GPU0.name").
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "trace/trace.h"

namespace stepscope {

struct DeviceProperties {
  std::string name;        // "NVIDIA H200"; empty: not stated
  std::string capability;  // "9.0"
  std::optional<int64_t> multiprocessors;
  std::optional<int64_t> memory_bytes;
};

// `type`: that of the device's streams, "GPU" where it is empty.
DeviceProperties FindDeviceProperties(const Trace& trace,
                                      const Process& process,
                                      std::string_view type, int64_t device);

}  // namespace stepscope
