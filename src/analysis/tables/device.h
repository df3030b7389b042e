// SPDX-License-Identifier: Apache-2.0
//
// Device table: how busy the processors were. A device's use is the union of
// its kernels within the window over the window, so never above 1: from the
// first step's start until host and device are done with the last one. Without
// steps it is the recorded window and what the device did beyond it. The CPU's
// use was sampled by the recorder.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "analysis/steps.h"

namespace stepscope {

struct MeasuredWork;

struct DeviceRow {
  std::string name;  // "CPU(Process)", "CPU(System)", "GPU0", "MLU1"
  // 0..1, of CPU(Process) and more; none: not recorded
  std::optional<double> utilization;
  // Of devices only: within the window; after the last step had ended on the
  // host.
  std::optional<int64_t> busy_ns;
  std::optional<int64_t> after_ns;
  uint32_t process = 0;
  int64_t id = 0;
  const MeasuredWork* measured = nullptr;  // of Summary::measured
};

// One device, as rows are made of it.
struct DeviceUse {
  std::string kind;  // as stated; empty: GPU
  int64_t id = 0;
  uint32_t process = 0;
  int64_t busy_ns = 0;
  int64_t after_ns = 0;
  int64_t window_ns = 0;    // that it was looked at
  bool own_window = false;  // by the steps of its own process
};
// Kind, id and process of a device: the order of the table.
using DeviceOrder = std::tuple<std::string_view, int64_t, uint32_t>;

// In that order.
std::vector<DeviceUse> FindDeviceUse(const EventTree& tree,
                                     const StepTable& steps);
// `trace` has the processes and the CPU's use.
std::vector<DeviceRow> DeviceRows(const Trace& trace,
                                  const std::vector<DeviceUse>& devices);

std::vector<DeviceRow> ComputeDevices(const EventTree& tree,
                                      const StepTable& steps);

}  // namespace stepscope
