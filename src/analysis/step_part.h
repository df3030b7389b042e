// SPDX-License-Identifier: Apache-2.0
//
// StepPart: what the time of a step can go to. Where several things went on at
// once, the first in this order takes the time.
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

// "kernel", "copy", "communication exposed", ...; what that is in a few words;
// and how it is computed.
std::string_view StepPartName(StepPart part);
std::string_view StepPartInWords(StepPart part);
std::string_view StepPartFormula(StepPart part);

}  // namespace stepscope
