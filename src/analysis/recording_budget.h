// SPDX-License-Identifier: Apache-2.0
//
// What `stepscope run --always --budget` wrote into a capture: which steps were
// recorded in full, and what that has cost. The others have no operators.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trace/trace.h"

namespace stepscope {

// Whether what began at a time was recorded in full; of one process.
class FullSteps {
 public:
  // Calls of Add() in the order of time.
  void Add(int64_t time_ns, bool full);
  // True before the first time, and where nothing is known.
  bool Has(int64_t time_ns) const;

 private:
  std::vector<int64_t> changes_;  // the first one: from here on it is not
};

// By process.
std::vector<FullSteps> FindFullSteps(const Trace& trace);

struct RecordingBudget {
  double full_share = 0;  // of the program's steps so far
  // Ratios of the time without; not there as long as it is not known.
  struct Cost {
    double ratio = 0;
    double low = 0;
    double high = 0;
  };
  std::optional<Cost> cost;
};

// As of the end of the trace; of a job, of its process with the highest cost.
std::optional<RecordingBudget> FindRecordingBudget(const Trace& trace);

// "operators cost 1.6 % (1.1 to 2.2) of the time, recorded in 1 of 6 steps"
std::string RecordingBudgetText(const RecordingBudget& budget);

}  // namespace stepscope
