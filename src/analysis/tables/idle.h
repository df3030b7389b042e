// SPDX-License-Identifier: Apache-2.0
//
// Idle table: when a device did nothing during the steps, and why. Every gap
// is dealt out to the causes as the waterfall deals out a step, so the causes
// of a device add up to its idle time exactly.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/step_sweep.h"

namespace stepscope {

struct IdleRow {
  StepPart cause = StepPart::kUnexplained;
  int64_t time_ns = 0;
  uint64_t gaps = 0;          // pieces of gaps
  int64_t longest_ns = 0;     // of the pieces
  int64_t longest_at_ns = 0;  // where that one begins
};

struct IdleDevice {
  std::string name;
  uint32_t process = 0;
  int64_t step_ns = 0;  // of its process
  int64_t idle_ns = 0;
  std::array<IdleRow, 6> rows;  // kCommunication to kUnexplained
  // Of `idle_ns`: the host waited for the device, had nothing queued when it
  // went on, and launched or computed until the gap was over.
  int64_t around_sync_ns = 0;
  // Of `idle_ns`: while some thread was in that stage.
  int64_t in_backward_ns = 0;
  int64_t backward_ns = 0;  // the stage itself, within the steps
};

// A long operator that launched nothing while a device stood idle.
struct HostOperator {
  Row example = kNoRow;  // the call that held the device up longest
  StringId name;
  uint64_t calls = 0;
  int64_t idle_ns = 0;  // of the first device of the process
  int64_t longest_ns = 0;
};

struct Idle {
  std::vector<IdleDevice> devices;
  std::vector<HostOperator> host_operators;  // by idle time
};

// Collects the windows of one sweep. Refers to all it is given.
class IdleTable {
 public:
  IdleTable(const EventTree& tree, const StepTable& steps,
            const StepSweep& sweep);
  void Add(const StepWindow& window);
  Idle Finish();

 private:
  void AddGaps(const StepWindow& window, const IntervalSet& idle,
               IdleDevice& device);
  void AddHostOperators(const StepWindow& window);

  const EventTree& tree_;
  Idle result_;
  std::vector<IntervalSet> backward_;     // by process
  std::vector<uint32_t> operator_slots_;  // by name
  Remainder remainder_;                   // both kept for their memory
  IntervalSet taken_;
};

}  // namespace stepscope
