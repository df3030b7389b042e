// SPDX-License-Identifier: Apache-2.0
//
// StepSweep: goes through the steps of each process in time order and says of
// every nanosecond of a step what took it. The parts of a step do not overlap
// and add up to the step exactly: where several things went on at once, the
// first in the order of StepPart takes the time.
//
// One pass over the events; memory is that of the largest step.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "analysis/communication.h"
#include "analysis/event_tree.h"
#include "analysis/interval.h"
#include "analysis/step_part.h"
#include "analysis/steps.h"

namespace stepscope {

// A step on the host, or its period on the device where that paces the loop: on
// the host it is over while its work has hardly begun. Less what an earlier
// step of the same thread covers.
struct StepRange {
  const StepInterval* step = nullptr;  // null: the recorded window
  Interval range;
};
// Of the thread that steps, by time.
std::vector<StepRange> RangesOfSteps(const StepTable& steps, uint32_t process);

struct SweepDevice {
  uint32_t process = 0;
  std::string name;  // "GPU0", "MLU1"
};

// One step of one process; without steps in the trace, the recorded window.
// One object serves all windows of a sweep, so that sets keep their memory.
struct StepWindow {
  const StepInterval* step = nullptr;  // null: the recorded window
  uint32_t process = 0;
  Interval range;  // as of StepRange
  std::array<int64_t, kStepParts> part_ns{};
  // Causes of idle time, within the range, in the order of StepPart from
  // kCommunication (of the host) to kOtherCpu; they may overlap.
  std::array<IntervalSet, 5> causes;
  // By device: when it did nothing. One set for each of the process' devices.
  std::vector<IntervalSet> idle;
  // With one device: its idle time dealt out, kCommunication (of the host) to
  // kUnexplained. These do not overlap.
  std::array<IntervalSet, 6> pieces;
  uint32_t first_device = 0;  // of `idle`, in StepSweep::devices()
  // Outermost long operators that launched nothing, on a process with devices.
  std::vector<Row> host_operators;

  // Otherwise nobody knows when a device did nothing: `idle` is empty sets.
  bool knows_devices() const {
    return step == nullptr || !step->device_left_out;
  }
  int64_t length() const { return SaturatingSubtract(range.end, range.begin); }
  const IntervalSet& sync() const { return causes[3]; }
};

// Refers to all it is given. Not thread-safe.
class StepSweep {
 public:
  StepSweep(const EventTree& tree, const StepTable& steps, NameClasses& names,
            const Communication& communication);

  const std::vector<SweepDevice>& devices() const { return devices_; }
  // Calls `visit` for each window, by process, then by start. The window is
  // only valid during the call.
  void Run(const std::function<void(const StepWindow&)>& visit) const;

 private:
  const EventTree& tree_;
  const StepTable& steps_;
  NameClasses& names_;
  const Communication& communication_;
  std::vector<SweepDevice> devices_;
  std::vector<uint32_t> device_of_track_;  // streams with work only
};

}  // namespace stepscope
