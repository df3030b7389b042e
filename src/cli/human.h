// SPDX-License-Identifier: Apache-2.0
//
// Figures for people: "1,234,567", "12.3 ms", "2024-11-15 03:08:11.123 UTC".
#pragma once

#include <cstdint>
#include <string>

namespace stepscope {

std::string HumanCount(uint64_t value);
// "1 event", "2 events"
std::string HumanCount(uint64_t value, const std::string& noun);
std::string HumanDuration(int64_t ns);
// A moment since 1970 in UTC.
std::string HumanTime(int64_t epoch_ns);

}  // namespace stepscope
