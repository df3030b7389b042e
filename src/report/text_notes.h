// SPDX-License-Identifier: Apache-2.0
//
// The explanations that stand under the tables. Those of Device and Overview
// are the reference's, so that scripts and eyes find what they know; those of
// Model and Distribution are ours.
#pragma once

#include <string_view>

namespace stepscope {

// clang-format off
inline constexpr std::string_view kDeviceNote =
    "Note:\n"
    "CPU(Process) Utilization = Current process CPU time over all cpu cores / "
    "elapsed time, so max utilization can be reached 100% * number of cpu "
    "cores.\n"
    "CPU(System) Utilization = All processes CPU time over all cpu cores(busy "
    "time) / (busy time + idle time).\n"
    "GPU Utilization = Current process GPU time / elapsed time.";

inline constexpr std::string_view kOverviewNote =
    "Note:\n"
    "In this table, We sum up all collected events in terms of event type.\n"
    "The time of events collected on host are presented as CPU Time, and as "
    "GPU Time if on device.\n"
    "Events with different types may overlap or inclusion, e.g. Operator "
    "includes OperatorInner, so the sum of ratios is not 100%.\n"
    "The time of events in the same type with overlap will not calculate "
    "twice, and all time is summed after merged.\n"
    "Example:\n"
    "Thread 1:\n"
    "  Operator: |___________|     |__________|\n"
    "Thread 2:\n"
    "  Operator:   |____________|     |___|\n"
    "After merged:\n"
    "  Result:   |______________|  |__________|\n";

inline constexpr std::string_view kModelNote =
    "Note:\n"
    "CPU time is the time between begin and end of the outermost events of a "
    "stage, added up.\n"
    "GPU time is that of the kernels, copies and sets which the stage "
    "launched, added up: what runs at the same time on two streams counts "
    "twice.\n"
    "What a helper thread launched counts for the stage that the stepping "
    "thread was in.\n"
    "Others is what remains of the steps.\n";

inline constexpr std::string_view kDistributionNote =
    "Note:\n"
    "Communication: host events and kernels that exchange data between "
    "processes, overlaps counted once.\n"
    "Computation: all other kernels, overlaps counted once.\n"
    "Overlap: the time in which both went on.\n"
    "Example:\n"
    "  Communication:  |_________|      |______|\n"
    "  Computation:          |____________|\n"
    "  Overlap:              |___|      |_|\n";
// clang-format on

}  // namespace stepscope
