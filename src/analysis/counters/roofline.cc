// SPDX-License-Identifier: Apache-2.0
#include "analysis/counters/roofline.h"

#include <algorithm>

namespace stepscope {
namespace {

// What a sentence may be founded on.
constexpr double kLeastMeasured = 0.5;
constexpr double kMostOff = 0.25;

std::optional<double> ShareOf(std::optional<double> value, double peak) {
  if (!value || peak <= 0 || *value > peak) return std::nullopt;
  return *value / peak;
}

std::optional<RoofLimit> LimitOf(const MeasuredWork& work,
                                 const Roofline& roofline) {
  std::optional<double> memory;
  if (IsDramTrusted(work)) memory = roofline.memory_ratio;
  std::optional<double> tensor;
  if (IsActivityTrusted(work, CounterMeasure::kTensorCores))
    tensor = work.ActiveRatio(CounterMeasure::kTensorCores);
  if (std::max(memory.value_or(0), tensor.value_or(0)) >= kAtLimit)
    return memory.value_or(0) >= tensor.value_or(0) ? RoofLimit::kMemory
                                                    : RoofLimit::kTensorCores;
  if (!memory || !tensor) return std::nullopt;
  return RoofLimit::kNone;
}

}  // namespace

bool IsDramTrusted(const MeasuredWork& work) {
  return work.measured_ratio() >= kLeastMeasured &&
         work.dram_gb_per_s().has_value() &&
         work.dram_error_ratio().value_or(0) <= kMostOff;
}

bool IsActivityTrusted(const MeasuredWork& work, CounterMeasure measure) {
  constexpr double kMostOfPeak = 0.1;  // of a share: 5 % or 15 % say the same
  const MeasuredPart& part = work.part(measure);
  return work.measured_ratio() >= kLeastMeasured && part.busy_ns > 0 &&
         part.error <= kMostOfPeak * part.busy_ns;
}

Roofline CompareWithPeaks(const MeasuredWork& work, const StatedPeaks& peaks) {
  Roofline roofline;
  const std::optional<double> rate = work.tflops_per_s();
  roofline.memory_ratio = ShareOf(work.dram_gb_per_s(), peaks.gbs);
  roofline.peak_ratio = ShareOf(rate, peaks.tflops);
  const std::optional<double> intensity = work.intensity();
  if (intensity && peaks.gbs > 0) {
    double roof = *intensity * peaks.gbs / 1e3;
    if (peaks.tflops > 0) roof = std::min(roof, peaks.tflops);
    roofline.roof_ratio = ShareOf(rate, roof);
  }
  roofline.limit = LimitOf(work, roofline);
  return roofline;
}

}  // namespace stepscope
