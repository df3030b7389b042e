// SPDX-License-Identifier: Apache-2.0
//
// What tables and other formats call the kinds of things in a trace.
#pragma once

#include <string_view>

#include "trace/trace.h"

namespace stepscope {

std::string_view NameOf(TrackKind kind);   // "thread"
std::string_view NameOf(MemoryKind kind);  // "Allocate"

}  // namespace stepscope
