// SPDX-License-Identifier: Apache-2.0
//
// What to summarise: which tables, in which order, how finely.
#pragma once

#include <cstdint>
#include <optional>

#include "analysis/step_choice.h"
#include "analysis/tables/rows.h"

namespace stepscope {

// Bits of SummaryOptions::views; the first nine are 1 << Paddle's SummaryView.
enum TableView : uint32_t {
  kDeviceView = 1u << 0,
  kOverView = 1u << 1,
  kModelView = 1u << 2,
  kDistributedView = 1u << 3,
  kKernelView = 1u << 4,
  kOperatorView = 1u << 5,
  kMemoryView = 1u << 6,
  kMemoryManipulationView = 1u << 7,
  kUserDefinedView = 1u << 8,
  kPaddleViews = (1u << 9) - 1,
  kPercentileView = 1u << 9,
  kWaterfallView = 1u << 10,
  kIdleView = 1u << 11,
  kLaunchView = 1u << 12,
  kFlopsView = 1u << 13,
  kOutlierView = 1u << 14,
  kMemoryLifeView = 1u << 15,
  kAdviceView = 1u << 16,
  kStepsView = 1u << 17,
  kBenchmarkView = 1u << 18,
  kStepTimeView = 1u << 19,
  kCriticalPathView = 1u << 20,
  kPythonView = 1u << 21,
  kRanksView = 1u << 24,
  kCollectivesView = 1u << 25,
  kStragglersView = 1u << 26,
  kRankStepsView = 1u << 27,
  // Of a job of several ranks; empty for one.
  kRankViews = kRanksView | kCollectivesView | kStragglersView | kRankStepsView,
  kAllViews = ~0u,
  // All that need no replay, which takes longer than the rest together.
  kUsualViews = kAllViews & ~kCriticalPathView,
  // If nothing is asked for. Shown only where there is something to show.
  kDefaultViews = kPaddleViews | kPythonView,
};

struct SummaryOptions {
  SortKey sort = SortKey::kCpuTotal;
  bool op_detail = true;      // inner and device rows under operators
  bool thread_sep = false;    // Operator and UserDefined tables per thread
  bool group_digits = false;  // your own names that differ in digits are one
  bool flops = false;         // for a column of the Operator table
  uint32_t views = 0;         // TableView bits; 0: kDefaultViews
  // Which steps the tables are of. None: of everything that was recorded, but
  // figures of the step itself are of settled steps.
  std::optional<StepChoice> steps;
  // How long a step takes that is not recorded, if the user knows.
  std::optional<int64_t> unprofiled_ns;

  // `views`, or what it stands for.
  uint32_t chosen_views() const { return views != 0 ? views : kDefaultViews; }
};

}  // namespace stepscope
