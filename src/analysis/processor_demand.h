// SPDX-License-Identifier: Apache-2.0
//
// ProcessorDemand: how many threads of the job were ready to run, against the
// processors that it may use. `stepscope run` samples both as counters. What
// other programs do changes how long threads wait, but not how many are ready.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "analysis/interval.h"
#include "trace/trace.h"

namespace stepscope {

// Averages over the samples of its process, of one thread.
struct ThreadDemand {
  uint32_t process = 0;
  int64_t id = 0;          // of the thread
  std::string_view label;  // "python3 (4711)"
  double running = 0;
  double waiting = 0;  // ready to run, without a processor

  double ready() const { return running + waiting; }
};

struct ProcessDemand {
  uint32_t process = 0;
  double ready = 0;  // threads, on average
};

struct ProcessorDemand {
  double processors = 0;  // that the job may use
  double ready = 0;       // threads of all processes
  std::vector<ProcessDemand> processes;
  std::vector<ThreadDemand> threads;

  // Null: it was not sampled, or never ran.
  const ThreadDemand* Find(uint32_t process, int64_t thread) const;
};

// From the samples within `window`. None: not recorded, or by several
// machines.
std::optional<ProcessorDemand> FindProcessorDemand(const Trace& trace,
                                                   const Interval& window);

}  // namespace stepscope
