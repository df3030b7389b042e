// SPDX-License-Identifier: Apache-2.0
#include "analysis/step_rows.h"

#include <algorithm>

#include "base/stable_sort.h"

namespace stepscope {

StepRow RowOfStep(const EventTree& tree, const StepInterval& step) {
  StepRow row;
  row.index = step.index;
  row.start_ns = step.range.begin;
  row.dur_ns = SaturatingSubtract(step.range.end, step.range.begin);
  row.period_ns = step.period_ns;
  if (step.has_device()) {
    row.device_start_ns = step.device.begin;
    row.device_end_ns = step.device.end;
  }
  row.warmup = step.warmup;
  const uint32_t process = tree.threads()[step.thread].process;
  const int64_t rank = tree.trace().processes()[process].rank;
  if (rank >= 0) row.rank = rank;
  return row;
}

void SortByStart(std::vector<StepRow>& rows) {
  StableSort(rows.begin(), rows.end(), [](const StepRow& a, const StepRow& b) {
    return a.start_ns < b.start_ns;
  });
}

}  // namespace stepscope
