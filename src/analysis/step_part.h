// SPDX-License-Identifier: Apache-2.0
//
// StepPart: what the time of a step can go to. Where several things went on at
// once, the first in this order takes the time. looks.h has their words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace stepscope {

enum class StepPart : uint8_t {
  kKernel,         // a device computes
  kCopy,           // else a device copies or sets memory
  kCommunication,  // else a device communicates, or the host does by itself
  kLaunchGap,      // else work was launched and has not begun
  kInputStall,     // else the stepping thread waits for data
  kHostSync,       // else the host is in a call that waits for the device
  kOtherCpu,       // else some event goes on on the host
  kUnexplained,    // nothing was recorded
};
inline constexpr size_t kStepParts = 8;

// What data calls it: "kernel", "copy", "communication exposed", ...
std::string_view StepPartName(StepPart part);
// What people read. Without a device, "GPU idle" is no news.
std::string_view StepPartTitle(StepPart part, bool device);

}  // namespace stepscope
