// SPDX-License-Identifier: Apache-2.0
//
// UserDefined and Memory Manipulation tables: events of types UserDefined and
// PythonUserDefined by name. What is named after memcpy, memory copy or memset
// is in the second table, all else in the first. CPU ratios are of the
// steps (step_shares.h), GPU ratios of all device work; sums are plain.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/name_class.h"
#include "analysis/percentiles.h"
#include "analysis/steps.h"
#include "analysis/tables/rows.h"

namespace stepscope {

struct RangeRow : NamedRow {
  Spread cpu_spread;  // of the calls; empty unless asked for
  Spread gpu_spread;
};

struct ThreadRows {
  int64_t thread_id = 0;         // of a table per thread
  std::string_view thread_name;  // empty: it has none
  uint32_t process = 0;
  std::vector<RangeRow> rows;
};

struct UserDefinedOptions {
  SortKey sort = SortKey::kCpuTotal;
  bool per_thread = false;
  bool spread = false;  // fill the spreads
  bool sketch = false;  // of these too
  // Names that differ in their digits only are one: "request 7" and
  // "request 12" are "request #". Each call counts as it does by itself.
  bool group_digits = false;
};

struct UserDefined {
  // One group for all threads or, `per_thread`, one for each that has rows.
  std::vector<ThreadRows> events;
  // In order of first visit; where no host event is named so, the device's
  // own copies and sets (device_copies.h).
  std::vector<NamedRow> memory_manipulation;
  bool of_device = false;  // these are the device's
  // Owns the names of groups, which rows refer to.
  std::shared_ptr<const std::deque<std::string>> group_names;
};

UserDefined ComputeUserDefined(const EventTree& tree, const StepTable& steps,
                               NameClasses& names,
                               const UserDefinedOptions& options);

}  // namespace stepscope
