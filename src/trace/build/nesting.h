// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/executor.h"
#include "trace/trace.h"

namespace stepscope {

// Parent and depth of every row, in little more memory than the result takes.
// An event that begins where another ends is its sibling, so an event without
// duration never is a parent. REQUIRES: rows as TraceBuilder leaves them.
// Columns are empty where memory is refused.
Nesting ComputeNesting(std::span<const int64_t> start_ns,
                       std::span<const int64_t> dur_ns,
                       const std::vector<Track>& tracks, Executor& executor);

// Durations less those of direct children; where events of a thread overlap
// without nesting, as ComputeSelfOfLanes() says. Empty where memory is refused.
Column<int64_t> ComputeSelf(std::span<const int64_t> start_ns,
                            std::span<const int64_t> dur_ns,
                            std::span<const Row> parent,
                            const std::vector<Track>& tracks,
                            Executor& executor);

}  // namespace stepscope
