// SPDX-License-Identifier: Apache-2.0
//
// What `info` says about each thread, text and JSON alike.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace stepscope {

struct ThreadInfo {
  const Track* track = nullptr;
  const ThreadReport* report = nullptr;  // null: the format has none
  uint64_t events = 0;                   // in the trace, all lanes
  uint64_t dropped = 0;                  // all reasons
};

// The threads of a trace in its order.
std::vector<ThreadInfo> ThreadInfos(const Trace& trace);

}  // namespace stepscope
