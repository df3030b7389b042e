// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace stepscope {

// What a device can do at most; 0: not stated.
struct StatedPeaks {
  double tflops = 0;  // TFLOP/s
  double gbs = 0;     // of its memory, GB/s
};

}  // namespace stepscope
