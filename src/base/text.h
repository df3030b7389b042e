// SPDX-License-Identifier: Apache-2.0
//
// Text helpers.
#pragma once

#include <cstdarg>
#include <string>

namespace stepscope {

// printf into a string.
[[gnu::format(printf, 1, 2)]] std::string Format(const char* format, ...);

}  // namespace stepscope
