// SPDX-License-Identifier: Apache-2.0
//
// LineNodes: puts what a thread did into the nodes of its line, or into a run
// where nothing else can depend on it. Whether another line depends on a call
// is known later; here it is a node unless that is out of the question.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "analysis/event_tree.h"
#include "analysis/name_class.h"
#include "analysis/replay/lines.h"

namespace stepscope {

// What may depend on a line.
struct LineUses {
  const std::vector<bool>& launches;            // by row; empty: no device work
  std::span<const int64_t> wakes;               // of all lines of the process
  std::vector<std::span<const int64_t>> mates;  // wakes of each other line
};

// REQUIRES: `line.wakes` is there. Refers to all it is given.
class LineNodes {
 public:
  LineNodes(const EventTree& tree, NameClasses& names, const LineUses& uses,
            HostLine& line)
      : tree_(tree), names_(names), uses_(uses), line_(line) {}

  // Any event of the thread begins.
  void SeeRow(Row row) {
    if (uses_.launches.empty() || !uses_.launches[row]) return;
    last_launch_ = tree_.trace().start_ns()[row];
    may_leave_ = false;
  }
  // `events`: half events since what was added before.
  void AddMark(int64_t at, Row row, uint32_t events);
  void AddSilence(const Interval& range, uint32_t events);
  void AddCall(Row row, int64_t begin, int64_t end, uint32_t events);
  void Finish();

 private:
  struct Moment {
    int64_t at = 0;
    int64_t gap_ns = 0;
    uint32_t events = 0;
  };

  void AddNode(const HostNode& node);
  void AddMoment(NodeKind kind, int64_t at, Row row, uint32_t events);
  bool MayLeave(const HostNode& call, int64_t end) const;
  bool IsAwaited(int64_t next_end);
  bool MayBeWait(const Interval& range) const;
  bool FollowsExactly(int64_t at) const;
  void MoveCallIntoRun();
  void MoveMomentsIntoRun();
  void CloseRun();

  static constexpr int64_t kNoTime = std::numeric_limits<int64_t>::min();

  const EventTree& tree_;
  NameClasses& names_;
  const LineUses& uses_;
  HostLine& line_;
  CallRun run_;  // before the last node if that is a call, else after it
  bool after_call_ = false;  // the last node is a call
  bool may_leave_ = false;   // which may be part of the run
  int64_t call_end_ = kNoTime;
  std::vector<Moment> moments_;    // after the last node
  int64_t last_launch_ = kNoTime;  // begin of the last row that launched
  size_t next_wake_ = 0;
  size_t next_own_wake_ = 0;
  // Of what was added: when all was done, and the last of it.
  int64_t busy_until_ = kNoTime;
  int64_t last_end_ = kNoTime;
};

}  // namespace stepscope
