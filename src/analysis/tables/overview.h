// SPDX-License-Identifier: Apache-2.0
//
// Overview table: calls and busy time (union over all threads or streams) of
// each type of event.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/steps.h"
#include "analysis/tables/distribution.h"

namespace stepscope {

struct OverviewRow {
  std::string type;  // "Operator"; "Type 77" for a number without a name
  uint64_t calls = 0;
  int64_t time_ns = 0;
  double ratio = 0;  // of the total time
};

struct Overview {
  std::vector<OverviewRow> cpu;  // ProfileStep first, then by time
  std::vector<OverviewRow> gpu;  // Kernel, Memcpy, Memset, Communication
};

// Stages count their outermost events only. Communication is the table
// Distribution's, which includes operators that communicate.
Overview ComputeOverview(const EventTree& tree, const StepTable& steps,
                         const Distribution& distribution);

}  // namespace stepscope
