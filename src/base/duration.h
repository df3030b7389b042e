// SPDX-License-Identifier: Apache-2.0
//
// A length of time as people write it: "14.9ms", "2s", "800us", "1e6ns".
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace stepscope {

// In nanoseconds, at least 1. Fails without a unit, and for what is not above
// 0, not finite or longer than 100 years.
Result<int64_t> ParseDuration(std::string_view text);

}  // namespace stepscope
