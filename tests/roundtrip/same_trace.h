// SPDX-License-Identifier: Apache-2.0
//
// Compares two traces in everything that they hold.
#pragma once

#include <string>

#include "trace/trace.h"

namespace stepscope {

// "" or the first difference found. Strings are compared by content.
std::string DifferenceOf(const Trace& a, const Trace& b);

}  // namespace stepscope
