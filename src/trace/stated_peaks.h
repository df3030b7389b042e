// SPDX-License-Identifier: Apache-2.0
//
// Keys of a process's metadata: the most memory of its life so far, as its
// recorder stated it. The name of the place follows.
#pragma once

#include <string_view>

namespace stepscope {

inline constexpr std::string_view kPeakAllocatedKey = "Peak Allocated Memory ";
inline constexpr std::string_view kPeakReservedKey = "Peak Reserved Memory ";

}  // namespace stepscope
