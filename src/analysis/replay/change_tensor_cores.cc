// SPDX-License-Identifier: Apache-2.0
//
// The change "tensor_cores": matrix kernels that do not use them do.
#include <algorithm>
#include <cmath>

#include "analysis/replay/device_peaks.h"
#include "analysis/replay/scenario.h"
#include "base/text.h"

namespace stepscope {
namespace {

// No matrix kernel gets shorter.
constexpr int64_t kShortestMatrixNs = 4'000;
// Libraries come closer to the peak of float32 than to that of tensor cores.
constexpr double kTensorEfficiency = 0.8;

}  // namespace

uint64_t Scenario::ApplyTensorCores(std::optional<double> factor,
                                    Estimate estimate) {
  double share = 0;
  int64_t shortest = 0;
  std::string basis;
  if (factor) {
    share = *factor;
  } else {
    const DevicePeaks peaks = FindDevicePeaks(input_.trace());
    share = peaks.known() ? peaks.float32 / (peaks.tensor * kTensorEfficiency)
                          : 0.5;
    if (estimate == Estimate::kCautious) share *= 1.5;
    // Half precision is twice as fast again.
    if (estimate == Estimate::kHopeful) share *= 0.5;
    share = std::min(share, 1.0);
    shortest = kShortestMatrixNs;
    basis = peaks.known()
                ? Format(
                      "tensor_cores: matrix kernels taken at %.2f of their "
                      "time, from the peaks of %s (%.4g float32, %.4g %s "
                      "TFLOP/s)",
                      share, peaks.device.c_str(), peaks.float32, peaks.tensor,
                      peaks.half ? "float16" : "TF32")
                : "tensor_cores: matrix kernels taken at half their time; "
                  "the trace does not name the device";
  }
  uint64_t found = 0;
  for (uint32_t i = 0; i < count(); ++i) {
    if (!IsKernel(i)) continue;
    const StringId name = input_.trace().name()[RowOf(i)];
    if (!input_.names.matrix_kernel(name) ||
        input_.names.tensor_core_kernel(name))
      continue;
    ++found;
    const int64_t dur = costs_[i].dur;
    const auto scaled =
        static_cast<int64_t>(std::llround(static_cast<double>(dur) * share));
    costs_[i].dur = std::max(scaled, std::min(dur, shortest));
  }
  if (found > 0) note_ = basis;
  return found;
}

}  // namespace stepscope
