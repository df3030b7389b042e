// SPDX-License-Identifier: Apache-2.0
//
// Metadata of a process that says how its clock was laid beside those of other
// ranks. Exporters keep it, so that whoever reads a merged trace knows.
#pragma once

#include <array>
#include <string_view>

namespace stepscope {

inline constexpr std::string_view kClockMethodKey = "clock_method";
inline constexpr std::string_view kClockOffsetKey = "clock_offset_ns";
// Where the offset holds, by the clock as recorded: UTC if that is known. With
// offset and drift it gives recorded times back, as docs/guide/many_ranks.md
// says.
inline constexpr std::string_view kClockCenterKey = "clock_center_ns";
inline constexpr std::string_view kClockDriftKey = "clock_drift_ppm";
inline constexpr std::string_view kClockErrorKey = "clock_error_ns";
inline constexpr std::string_view kClockErrorGrowthKey = "clock_error_ppm";

inline constexpr std::array<std::string_view, 6> kClockFactKeys = {
    kClockMethodKey, kClockOffsetKey, kClockCenterKey,
    kClockDriftKey,  kClockErrorKey,  kClockErrorGrowthKey};

}  // namespace stepscope
