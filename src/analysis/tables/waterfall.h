// SPDX-License-Identifier: Apache-2.0
//
// Waterfall: the time of the steps, dealt out to what took it. The parts of
// each step add up to that step, and those of all to `step_ns`, exactly.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "analysis/step_sweep.h"

namespace stepscope {

// One step, or the recorded window of a process if there are none.
struct StepParts {
  int64_t index = 0;  // -1: the recorded window
  uint32_t process = 0;
  Row row = kNoRow;  // the step's event
  Interval range;
  std::array<int64_t, kStepParts> part_ns{};  // by StepPart
  bool knows_devices = true;                  // as of StepWindow

  int64_t length() const { return SaturatingSubtract(range.end, range.begin); }
};

struct Waterfall {
  int64_t step_ns = 0;  // the sum of the parts
  std::array<int64_t, kStepParts> part_ns{};
  std::vector<StepParts> steps;  // by process, then by start
  uint64_t processes = 0;        // that had a step
  // What the parts were made from; a part without input is 0 for want of it.
  uint64_t device_events = 0;
  uint64_t device_events_launched = 0;  // with a recorded launch
  uint64_t host_events = 0;
  // Where the recorded window stands for the steps: of kUnexplained, what lies
  // before the first event (starting Python, importing torch).
  int64_t before_events_ns = 0;
  uint64_t other_threads_steps = 0;  // of threads that do not lead: not in it

  int64_t part(StepPart p) const { return part_ns[static_cast<size_t>(p)]; }
  // The share of the steps that something recorded explains.
  double coverage() const;
};

// Collects the windows of one sweep.
class WaterfallTable {
 public:
  void Add(const StepWindow& window);
  Waterfall Finish(const EventTree& tree, const StepTable& steps);

 private:
  void AddTimeBeforeEvents(const Trace& trace);

  Waterfall result_;
};

}  // namespace stepscope
