// SPDX-License-Identifier: Apache-2.0
//
// What a trace can hold beside events and their rows, so that an exporter can
// say what of it its format has no place for.
#pragma once

#include <cstdint>
#include <string>

#include "trace/trace.h"

namespace stepscope {

enum Content : uint32_t {
  kCounters = 1 << 0,
  kMemoryEvents = 1 << 1,
  kFlows = 1 << 2,       // arrows that the program drew
  kLaunches = 1 << 3,    // links from device work to its launch
  kOtherLinks = 1 << 4,  // external ids, graph nodes, sequence numbers
  kArguments = 1 << 5,
  kHostEvents = 1 << 6,
  kInstants = 1 << 7,
  kMetadata = 1 << 8,  // of processes, beside name, host and rank
  kLosses = 1 << 9,    // per thread: losses, open scopes
  kLedger = 1 << 10,
  kSeveral = 1 << 11,  // processes
  kEpoch = 1 << 12,    // absolute time
  kWindow = 1 << 13,   // when recording began and ended, beyond the events
};
inline constexpr uint32_t kAllContent = (1 << 14) - 1;

// Which of them the trace has.
uint32_t ContentOf(const Trace& trace);
// "counters, flows"; "" for none.
std::string ContentNames(uint32_t content);

}  // namespace stepscope
