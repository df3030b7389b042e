// SPDX-License-Identifier: Apache-2.0
//
// CopyPart: a Trace of some of the events of another. Processes, sources,
// ledger and notes stay as they are, so indices of processes do too; tracks
// stay but for lanes of which nothing is left.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/result.h"
#include "trace/trace.h"

namespace stepscope {

struct TracePart {
  std::vector<bool> rows;  // by row: whether it is part
  // The same of what is no event: counters and memory. An arrow is part if one
  // of its ends on a thread is.
  std::function<bool(uint32_t process, int64_t time_ns)> at;
  int64_t begin_ns = 0;  // the window of the new trace
  int64_t end_ns = 0;
};

// Fails only where memory is refused.
Result<std::shared_ptr<const Trace>> CopyPart(const Trace& trace,
                                              const TracePart& part);

}  // namespace stepscope
