// SPDX-License-Identifier: Apache-2.0
//
// Critical path table: what made the settled steps as long as they were. Its
// times add up to the steps exactly.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/replay/critical_path.h"

namespace stepscope {

struct CriticalPathRow {
  PathCategory category = PathCategory::kIdle;
  std::string_view name;
  int64_t time_ns = 0;
  double ratio = 0;    // of all steps
  uint64_t count = 0;  // events, or pieces without one
  int64_t per_step_ns = 0;
};

struct CriticalPathTable {
  std::vector<CriticalPathRow> rows;  // by time
  std::string note;  // which steps, and how good the replay was
};

CriticalPathTable ComputeCriticalPath(const EventTree& tree,
                                      const StepTable& steps,
                                      NameClasses& names,
                                      const StepChoice& choice);

}  // namespace stepscope
