// SPDX-License-Identifier: Apache-2.0
//
// UserDefined and Memory Manipulation tables: events of types UserDefined and
// PythonUserDefined by name. What is named after memcpy, memory copy or memset
// is in the second table, all else in the first. CPU ratios are of the total
// time, GPU ratios of the work launched in steps; sums are plain.
#pragma once

#include <string_view>
#include <vector>

#include "analysis/name_class.h"
#include "analysis/steps.h"
#include "analysis/tables/rows.h"

namespace stepscope {

struct ThreadRows {
  int64_t thread_id = 0;  // of a table per thread
  uint32_t process = 0;
  std::vector<NamedRow> rows;
};

struct UserDefined {
  // One group for all threads or, `per_thread`, one for each that has rows.
  std::vector<ThreadRows> events;
  // In order of first visit; where no host event is named so, the device's
  // own copies and sets (device_copies.h).
  std::vector<NamedRow> memory_manipulation;
  bool of_device = false;  // these are the device's
};

UserDefined ComputeUserDefined(const EventTree& tree, const StepTable& steps,
                               NameClasses& names, SortKey sort,
                               bool per_thread);

}  // namespace stepscope
