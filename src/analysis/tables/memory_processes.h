// SPDX-License-Identifier: Apache-2.0
//
// The peak of each process and device, who reserved most first: the rank that
// is first to be out of memory ends a job.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/event_tree.h"
#include "analysis/steps.h"

namespace stepscope {

struct MemoryOfProcess {
  std::string process;          // as NameAmongSeveral() has it
  std::optional<int64_t> rank;  // of a trace with several
  std::string_view device;      // "gpu:0"
  int64_t allocated_bytes = 0;
  int64_t reserved_bytes = 0;
  std::optional<int64_t> peak_at_ns;
  std::optional<uint64_t> step;
  std::string_view category;  // of which most was held then
  int64_t category_bytes = 0;
  uint64_t out_of_memory = 0;  // of the process
  uint64_t retries = 0;
  int64_t retries_ns = 0;
};

// Of devices whose allocations have addresses.
std::vector<MemoryOfProcess> ComputeMemoryOfProcesses(const EventTree& tree,
                                                      const StepTable& steps);

}  // namespace stepscope
