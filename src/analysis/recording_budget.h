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
  void SetOfDevice() { of_device_ = true; }
  // True before the first time, and where nothing is known.
  bool Has(int64_t time_ns) const;
  // When it was said last, up to a time; where it was not, the time.
  int64_t SaidAt(int64_t time_ns) const;
  // Whether device work is left out of the other steps too.
  bool of_device() const { return of_device_; }

 private:
  struct Said {
    int64_t time_ns;
    bool full;
  };
  const Said* Last(int64_t time_ns) const;

  std::vector<Said> said_;
  bool of_device_ = false;
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
  bool of_device = false;  // device work is recorded in these steps alone
  bool counters = false;   // of a device, in every step
};

// As of the end of the trace; of a job, of its process with the highest cost.
std::optional<RecordingBudget> FindRecordingBudget(const Trace& trace);

// "operators were recorded in 1 of 6 steps, which cost 1.6 % of the time (1.1
// to 2.2)", and what is not in it.
std::string RecordingBudgetText(const RecordingBudget& budget);

}  // namespace stepscope
