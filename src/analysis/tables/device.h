// SPDX-License-Identifier: Apache-2.0
//
// Device table: how busy the processors were. A device's use is the union of
// its kernels over the total time; the CPU's was sampled by the recorder.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/steps.h"

namespace stepscope {

struct DeviceRow {
  std::string name;  // "CPU(Process)", "CPU(System)", "GPU0", "MLU1"
  std::optional<double> utilization;  // 0..1 and more; none: not recorded
  int64_t busy_ns = 0;                // devices only
};

std::vector<DeviceRow> ComputeDevices(const EventTree& tree,
                                      const StepTable& steps);

}  // namespace stepscope
