// SPDX-License-Identifier: Apache-2.0
//
// Measured roofline: how near work comes to what a device can do, and which of
// its limits it has reached.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "analysis/counters/measured_work.h"
#include "analysis/tables/stated_peaks.h"

namespace stepscope {

enum class RoofLimit : uint8_t { kNone, kMemory, kTensorCores };

struct Roofline {
  // Shares of what a device can do; empty where its peak is not known, or is
  // passed, so that it is that of another one.
  std::optional<double> memory_ratio;  // of its memory's rate, while it did it
  std::optional<double> peak_ratio;    // of its arithmetic
  // Of what its arithmetic and its memory allow for so many operations per
  // byte.
  std::optional<double> roof_ratio;
  // Empty: what was measured does not tell.
  std::optional<RoofLimit> limit;
};

// From this share on something is the limit.
inline constexpr double kAtLimit = 0.6;

Roofline CompareWithPeaks(const MeasuredWork& work, const StatedPeaks& peaks);

// Whether most of the work was measured, and the figure is not off by much.
bool IsDramTrusted(const MeasuredWork& work);
bool IsActivityTrusted(const MeasuredWork& work, CounterMeasure measure);

}  // namespace stepscope
