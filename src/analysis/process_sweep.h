// SPDX-License-Identifier: Apache-2.0
//
// ProcessSweep: the events of one process, taken in windows of increasing time
// and dealt out to the parts of each window. Every event is looked at once;
// memory is that of the largest window.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "analysis/communication.h"
#include "analysis/event_tree.h"
#include "analysis/interval.h"
#include "analysis/step_sweep.h"

namespace stepscope {

// Refers to all it is given. Not thread-safe.
class ProcessSweep {
 public:
  ProcessSweep(const EventTree& tree, NameClasses& names,
               const Communication& communication);

  void AddThread(const Track& track, bool waits_for_input);
  // `device`: counted within the process; `first` and `last`: range of the
  // stream in EventTree::work().
  void AddStream(uint32_t device, size_t first, size_t last);

  // Where there is no device, what the host computes while it also communicates
  // is no exposed communication.
  void SetHostComputation(IntervalSet computing) {
    computing_ = std::move(computing);
  }

  // Fills all but `step`, `process`, `range` and `first_device`. REQUIRES:
  // windows come in order and do not overlap; tracks have been added.
  void Fill(StepWindow& window);

 private:
  // What is told apart: the parts that are recorded, with the two kinds of
  // communication by themselves.
  enum Activity : uint8_t {
    kKernel,
    kCopy,
    kDeviceCommunication,
    kHostCommunication,
    kPending,
    kInput,
    kSync,
    kHost,
  };
  static constexpr size_t kActivities = 8;
  static constexpr size_t kOnDevice = 3;

  // How far a track has been taken.
  struct Cursor {
    enum Kind : uint8_t { kThread, kDevice, kLaunches };
    Kind kind = kThread;
    bool waits_for_input = false;  // kThread: its Dataloader events stall
    uint32_t device = 0;           // of the process
    size_t next = 0;               // row, or index of the work
    size_t last = 0;
    // kLaunches: the work in order of its launches, where the stream runs it
    // in another one; `next` and `last` are then positions in here.
    std::vector<uint32_t> by_launch;
    int64_t host_until = INT64_MIN;
    int64_t loader_until = INT64_MIN;
    int64_t operator_until = INT64_MIN;
  };

  const DeviceWork& LaunchedWork(const Cursor& cursor) const {
    return tree_
        .work()[cursor.by_launch.empty() ? cursor.next
                                         : cursor.by_launch[cursor.next]];
  }
  void SortLaunches(Cursor& cursor) const;
  void Add(Cursor cursor);
  void Queue(uint32_t index);
  int64_t TimeOf(const Cursor& cursor) const;

  void TakeUpTo(int64_t limit, StepWindow* window);
  void TakeThread(Cursor& cursor, int64_t limit);
  void TakeCall(Cursor& cursor, Row row, uint16_t type, int64_t end);
  void TakeDevice(Cursor& cursor, int64_t limit);
  void TakeLaunches(Cursor& cursor, int64_t limit);
  void Mark(Activity activity, int64_t begin, int64_t end) {
    until_[activity] = std::max(until_[activity], end);
    if (collecting_ == nullptr) return;
    active_[activity].Add(std::max(begin, window_.begin),
                          std::min(end, window_.end));
  }
  void Divide(StepWindow& window);
  IntervalSet HiddenCommunication();

  const EventTree& tree_;
  NameClasses& names_;
  const Communication& communication_;
  size_t devices_ = 0;
  std::vector<Cursor> cursors_;
  // (time of the next event, cursor), earliest first.
  using Next = std::pair<int64_t, uint32_t>;
  std::priority_queue<Next, std::vector<Next>, std::greater<>> queue_;
  Interval window_;
  StepWindow* collecting_ = nullptr;
  // What is still going on when a window begins.
  std::array<int64_t, kActivities> until_;
  std::vector<int64_t> busy_until_;
  std::array<IntervalCollector, kActivities> active_;
  std::vector<IntervalCollector> busy_;  // by device, where there are several
  IntervalSet computing_;                // on the host
  size_t computed_ = 0;  // of these, what ends before the window
  // Kept from window to window for their memory.
  std::array<IntervalSet, kActivities> sets_;
  Remainder remainder_;
  IntervalSet taken_;
};

}  // namespace stepscope
