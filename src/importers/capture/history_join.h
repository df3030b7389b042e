// SPDX-License-Identifier: Apache-2.0
//
// The history of an allocator, read as a trace of its own, becomes memory
// events of a capture that belong to the operators of its threads.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "importers/capture/clock_map.h"
#include "trace/build/trace_builder.h"

namespace stepscope::capture {

// What a history is joined with.
struct HistoryTarget {
  TraceBuilder& builder;
  uint32_t process = 0;
  const ClockMap& clock;
  int64_t offset_ns = 0;
  Row first_row = 0;  // rows of the threads: from here
  Row last_row = 0;   // up to here
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
};

struct History {
  std::shared_ptr<const Trace> trace;
  bool timed = true;  // torch 2.0 states no times
};

// `told`: what an observer told of the same memory, or of places that the
// history does not have; `driver`: likewise the device's driver. Nothing is
// added twice.
void JoinHistory(const HistoryTarget& target, const History& history,
                 std::vector<MemoryEvent> told,
                 const std::vector<MemoryEvent>& driver);

}  // namespace stepscope::capture
