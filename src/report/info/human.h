// SPDX-License-Identifier: Apache-2.0
//
// Figures for people: "12.3 ms", "2024-11-15 03:08:11.123 UTC".
#pragma once

#include <cstdint>
#include <string>

namespace stepscope {

std::string HumanDuration(int64_t ns);
// A moment since 1970 in UTC.
std::string HumanTime(int64_t epoch_ns);

}  // namespace stepscope
