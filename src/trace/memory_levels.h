// SPDX-License-Identifier: Apache-2.0
//
// The place of memory that is known by its amount alone: nobody knows which
// allocations it consists of, or on which device.
#pragma once

#include <string_view>

namespace stepscope {

inline constexpr std::string_view kMemoryLevelsPlace = "Place(one device)";

}  // namespace stepscope
