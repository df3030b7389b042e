// SPDX-License-Identifier: Apache-2.0
//
// Grid: a table as cells, for those that have no layout of their own to keep
// to. Text and Markdown print them alike.
#pragma once

#include <string>
#include <vector>

#include "analysis/summary.h"
#include "report/table_options.h"

namespace stepscope {

struct Grid {
  std::string title;
  std::vector<std::string> heads;
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> notes;  // below: formula, inputs, coverage
  bool has_times = true;           // whether the unit stands in the head
  TimeUnit unit = TimeUnit::kMs;
};

// Tables that have a grid laid out by hand.
inline constexpr ViewSet kGridViews = kPercentileView | kWaterfallView |
                                      kIdleView | kLaunchView | kFlopsView |
                                      kOutlierView | kMemoryLifeView;

// Those that the options ask for and that have something to show: Percentile,
// Waterfall, Idle, Launch, FLOPs, Outlier, Memory at the Peak.
std::vector<Grid> StepGrids(const Summary& summary,
                            const TableOptions& options);

// In the style of the other text tables; ends in two empty lines. Notes are
// wrapped at `width`; 0: nowhere.
void PrintGrid(const Grid& grid, std::string& out, size_t width = 0);
// Without the title.
void PrintMarkdown(const Grid& grid, std::string& out);

}  // namespace stepscope
