// SPDX-License-Identifier: Apache-2.0
//
// Times of events: text to integer nanoseconds. What is wrong is returned as
// a reason for the ledger, or empty.
#pragma once

#include <cstdint>
#include <string_view>

namespace stepscope::json {

std::string_view ReadMicros(std::string_view text, int64_t& ns);

// The time and duration of an event. Below a nanosecond, begin and end are
// rounded apart, so that what nested before still does.
std::string_view ReadSpan(std::string_view ts, std::string_view dur,
                          int64_t& start_ns, int64_t& dur_ns);

// "12.345 us" with its quotes, as Paddle has it in the arguments.
bool ReadOwnTime(std::string_view text, int64_t& ns);

// "conv2d[12.345 us]" without what Paddle appends.
std::string_view WithoutDuration(std::string_view name);

}  // namespace stepscope::json
