// SPDX-License-Identifier: Apache-2.0
//
// Options that say what a device can do at most.
#pragma once

#include <string>

#include "cli/frame/command.h"

namespace stepscope {

inline Option ComputePeakOption(const char* group, std::string* target) {
  return {.name = "--compute-peak",
          .value = "TFLOPS",
          .kind = ValueKind::kText,
          .meaning =
              "what a device can compute at most, in TFLOP/s of the type that "
              "is used, such as 989: then FLOP/s are also shares of it, and a "
              "step has an MFU",
          .fallback = "what the trace states",
          .group = group,
          .target = target};
}

inline Option MemoryPeakOption(const char* group, std::string* target) {
  return {.name = "--memory-peak",
          .value = "GBPS",
          .kind = ValueKind::kText,
          .meaning =
              "what the memory of a device can do at most, in GB/s, "
              "such as 4800: the other half of a roofline",
          .fallback = "what the trace states",
          .group = group,
          .target = target};
}

}  // namespace stepscope
