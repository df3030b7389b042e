// SPDX-License-Identifier: Apache-2.0
//
// Outliers: steps that took much longer than the others of their process, and
// the part of them that did. A step is one if it is longer than the median by
// more than three standard deviations (as 1.4826 x the median deviation) and
// by more than a tenth; with five steps or more.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/tables/waterfall.h"

namespace stepscope {

struct OutlierRow {
  int64_t index = 0;
  uint32_t process = 0;
  int64_t start_ns = 0;
  int64_t dur_ns = 0;
  int64_t median_ns = 0;  // of the steps of the process
  int64_t excess_ns = 0;
  StepPart cause = StepPart::kUnexplained;  // the part that grew most
  int64_t cause_excess_ns = 0;              // over the median of that part
};

// By excess, the longest first.
std::vector<OutlierRow> ComputeOutliers(const Waterfall& waterfall);

}  // namespace stepscope
