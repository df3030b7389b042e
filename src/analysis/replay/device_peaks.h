// SPDX-License-Identifier: Apache-2.0
//
// How much faster a device multiplies matrices on its tensor cores.
#pragma once

#include <string>

#include "trace/trace.h"

namespace stepscope {

// Arithmetic a second, dense, in units of 10^12: float32 without tensor cores
// and the fastest format with them that needs no change of the model: TF32,
// else float16.
struct DevicePeaks {
  std::string device;  // as the trace names it; empty: not stated
  double float32 = 0;
  double tensor = 0;
  bool half = false;  // `tensor` is of float16

  bool known() const { return float32 > 0 && tensor > 0; }
};

// Of the first device that the trace states properties of.
DevicePeaks FindDevicePeaks(const Trace& trace);

}  // namespace stepscope
