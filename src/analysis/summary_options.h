// SPDX-License-Identifier: Apache-2.0
//
// What to summarise: which tables, in which order, how finely.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "analysis/serving/bill_rule.h"
#include "analysis/step_choice.h"
#include "analysis/tables/rows.h"
#include "analysis/tables/stated_peaks.h"
#include "analysis/view_set.h"

namespace stepscope {

// The first nine are Paddle's SummaryView. A table that nobody but its own file
// speaks of needs none: all_tables.cc gives it the next one that is free.
inline constexpr ViewSet kDeviceView = ViewSet::One(0);
inline constexpr ViewSet kOverView = ViewSet::One(1);
inline constexpr ViewSet kModelView = ViewSet::One(2);
inline constexpr ViewSet kDistributedView = ViewSet::One(3);
inline constexpr ViewSet kKernelView = ViewSet::One(4);
inline constexpr ViewSet kOperatorView = ViewSet::One(5);
inline constexpr ViewSet kMemoryView = ViewSet::One(6);
inline constexpr ViewSet kMemoryManipulationView = ViewSet::One(7);
inline constexpr ViewSet kUserDefinedView = ViewSet::One(8);
inline constexpr ViewSet kPercentileView = ViewSet::One(9);
inline constexpr ViewSet kWaterfallView = ViewSet::One(10);
inline constexpr ViewSet kIdleView = ViewSet::One(11);
inline constexpr ViewSet kLaunchView = ViewSet::One(12);
inline constexpr ViewSet kFlopsView = ViewSet::One(13);
inline constexpr ViewSet kOutlierView = ViewSet::One(14);
inline constexpr ViewSet kMemoryLifeView = ViewSet::One(15);
inline constexpr ViewSet kAdviceView = ViewSet::One(16);
inline constexpr ViewSet kStepsView = ViewSet::One(17);
inline constexpr ViewSet kBenchmarkView = ViewSet::One(18);
inline constexpr ViewSet kStepTimeView = ViewSet::One(19);
inline constexpr ViewSet kCriticalPathView = ViewSet::One(20);
inline constexpr ViewSet kPythonView = ViewSet::One(21);
inline constexpr ViewSet kRanksView = ViewSet::One(22);
inline constexpr ViewSet kCollectivesView = ViewSet::One(23);
inline constexpr ViewSet kStragglersView = ViewSet::One(24);
inline constexpr ViewSet kRankStepsView = ViewSet::One(25);
inline constexpr ViewSet kIterationView = ViewSet::One(26);
inline constexpr ViewSet kRequestView = ViewSet::One(27);
inline constexpr ViewSet kMfuView = ViewSet::One(28);
inline constexpr size_t kFirstFreeView = 29;
inline constexpr ViewSet kNamedViews =
    ViewSet::OfMask((uint64_t{1} << kFirstFreeView) - 1);
inline constexpr ViewSet kPaddleViews = ViewSet::OfMask((1u << 9) - 1);
// Of a job of several ranks; empty for one.
inline constexpr ViewSet kRankViews =
    kRanksView | kCollectivesView | kStragglersView | kRankStepsView;
inline constexpr ViewSet kAllViews = ViewSet::All();
// All that need no replay, which takes longer than the rest together.
inline constexpr ViewSet kUsualViews = kAllViews & ~kCriticalPathView;
// If nothing is asked for. Shown only where there is something to show.
inline constexpr ViewSet kDefaultViews = kPaddleViews | kPythonView;

struct SummaryOptions {
  SortKey sort = SortKey::kCpuTotal;
  bool op_detail = true;      // inner and device rows under operators
  bool thread_sep = false;    // Operator and UserDefined tables per thread
  bool group_digits = false;  // your own names that differ in digits are one
  bool flops = false;         // for a column of the Operator table
  // The table of collectives also for one rank; false: for several.
  bool collectives_of_one = true;
  BillRule bill = BillRule::kTokens;  // of device time, over requests
  ViewSet views;                      // none: kDefaultViews
  // Which steps the tables are of. None: of everything that was recorded, but
  // figures of the step itself are of settled steps.
  std::optional<StepChoice> steps;
  // How long a step takes that is not recorded, if the user knows.
  std::optional<int64_t> unprofiled_ns;

  // The peak of the links that collectives use, in GB/s; 0: not stated.
  double link_peak_gbs = 0;
  // What a device can do, where the user knows.
  StatedPeaks device_peaks;

  // `views`, or what it stands for.
  ViewSet chosen_views() const { return views ? views : kDefaultViews; }
};

}  // namespace stepscope
