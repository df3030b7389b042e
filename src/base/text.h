// SPDX-License-Identifier: Apache-2.0
//
// Text helpers.
#pragma once

#include <cstdarg>
#include <string>
#include <string_view>

namespace stepscope {

// printf into a string.
[[gnu::format(printf, 1, 2)]] std::string Format(const char* format, ...);

// Whether people would put `a` before `b`: numbers within them count by their
// value, so that "rank 2" comes before "rank 10".
bool NaturallyBefore(std::string_view a, std::string_view b);

}  // namespace stepscope
