// SPDX-License-Identifier: Apache-2.0
//
// What share of the steps host events take: the time that lies in the steps
// of their process, over those steps, once for each thread that has such
// events. A share is never above 1, however many threads and ranks do the
// same at once, and those of two ranks add up to that of both.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/event_tree.h"
#include "analysis/interval.h"
#include "analysis/stats.h"
#include "analysis/steps.h"

namespace stepscope {

struct StepShare {
  int64_t inside_ns = 0;
  int64_t steps_ns = 0;
  // Threads of processes without steps: each may take the recorded window.
  uint64_t loose_threads = 0;

  void Add(const StepShare& other) {
    inside_ns = SaturatingAdd(inside_ns, other.inside_ns);
    steps_ns = SaturatingAdd(steps_ns, other.steps_ns);
    loose_threads += other.loose_threads;
  }
  double ratio(int64_t window_ns) const {
    const double whole =
        static_cast<double>(steps_ns) +
        static_cast<double>(loose_threads) * static_cast<double>(window_ns);
    return whole <= 0 ? 0 : static_cast<double>(inside_ns) / whole;
  }
};

// The shares of several kinds of events, each known by a small number.
class StepShares {
 public:
  StepShares(const EventTree& tree, const StepTable& steps)
      : tree_(tree), steps_(steps) {}

  // REQUIRES: events thread by thread. What is covered already, as by an
  // event around this one, adds nothing.
  void Add(uint32_t kind, Row row, uint32_t thread);
  // Of a kind without events too.
  StepShare share(uint32_t kind) const {
    return kind < kinds_.size() ? kinds_[kind].share : StepShare();
  }

 private:
  struct Kind {
    StepShare share;
    uint32_t thread = kNoThread;  // whose events come
    int64_t until = INT64_MIN;    // how far they reach
  };

  const EventTree& tree_;
  const StepTable& steps_;
  std::vector<Kind> kinds_;
};

}  // namespace stepscope
