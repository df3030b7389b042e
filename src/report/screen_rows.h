// SPDX-License-Identifier: Apache-2.0
//
// Host work by name for the one screen: operators and the user's own ranges
// in one list, threads together. Processes that take no steps beside ones that
// do (the workers of a data loader) are kept apart: their work goes on
// meanwhile, and would hide that of the steps.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analysis/summary.h"

namespace stepscope {

struct HostRow {
  std::string_view name;
  uint64_t calls = 0;
  TimeColumn cpu;
  TimeColumn gpu;  // the work launched inside
  int64_t self_cpu_ns = 0;
};

struct HostWork {
  std::vector<HostRow> rows;
  int64_t self_ns = 0;  // of all rows: what shares are of
};

struct HostWorkOfJob {
  HostWork steps;    // of processes that step; without steps, of all
  HostWork workers;  // of the others
  uint64_t worker_processes = 0;
};

// REQUIRES: operators and user-defined events were computed per thread. Where
// there are none of both, the Python functions stand for them.
HostWorkOfJob CollectHostWork(const Summary& summary, SortKey sort);

}  // namespace stepscope
