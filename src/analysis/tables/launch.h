// SPDX-License-Identifier: Apache-2.0
//
// Launch statistics: what launching costs the host, how long work waits in a
// queue, and how often a stream waits for the host instead.
#pragma once

#include <cstdint>

#include "analysis/event_tree.h"
#include "analysis/name_class.h"
#include "analysis/percentiles.h"
#include "analysis/stats.h"

namespace stepscope {

struct LaunchSeries {
  uint64_t count = 0;
  TimeStats time;
  Spread spread;
};

struct LaunchStats {
  uint64_t device_events = 0;
  uint64_t without_launch = 0;  // device events whose launch is not recorded
  uint64_t launches_without_work = 0;  // launch calls, no device event
  LaunchSeries call;         // duration of the calls that launched something
  LaunchSeries queue_delay;  // end of the call to begin of the work, >= 0
  uint64_t early = 0;        // work that began before its call: clocks disagree
  // Kernels of calls that took longer than all the work they launched.
  uint64_t short_kernels = 0;
  int64_t short_kernels_ns = 0;
  int64_t short_calls_ns = 0;
  // Work whose stream had nothing left to do when its launch began, of all
  // work that was not the first of its stream.
  uint64_t followers = 0;
  uint64_t launch_bound = 0;
  double launch_bound_ratio() const {
    return followers == 0 ? 0
                          : static_cast<double>(launch_bound) /
                                static_cast<double>(followers);
  }
};

// `sketch`: of the spreads too.
LaunchStats ComputeLaunches(const EventTree& tree, NameClasses& names,
                            bool sketch = false);

}  // namespace stepscope
