// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trace/trace.h"

namespace stepscope {

// Parent, depth and self time of every row in one pass, in no more memory than
// its result. An event that begins where another ends is its sibling, so an
// event without duration never is a parent. REQUIRES: rows as TraceBuilder
// leaves them. Columns are empty where memory is refused.
Nesting ComputeNesting(std::span<const int64_t> start_ns,
                       std::span<const int64_t> dur_ns,
                       const std::vector<Track>& tracks);

}  // namespace stepscope
