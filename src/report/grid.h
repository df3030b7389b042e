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
  std::vector<size_t> keys = {0};  // columns that tell rows apart
  std::vector<std::string> notes;  // below: formula, inputs, coverage
  bool has_times = true;           // whether the unit stands in the head
  TimeUnit unit = TimeUnit::kMs;
  size_t most = 0;  // columns of a line, if nobody says how many; 0: any
};

// Tables that have a grid laid out by hand.
inline constexpr ViewSet kGridViews = kPercentileView | kWaterfallView |
                                      kIdleView | kLaunchView | kFlopsView |
                                      kOutlierView | kMemoryLifeView;

// Those that the options ask for and that have something to show: Percentile,
// Waterfall, Idle, Launch, FLOPs, Outlier, Memory at the Peak.
std::vector<Grid> StepGrids(const Summary& summary,
                            const TableOptions& options);

// Of its columns.
std::vector<size_t> WidthsOf(const Grid& grid);

// In the style of the other text tables; ends in two empty lines. Where it is
// wider than `width`, in parts; notes are wrapped. 0: any width.
void PrintGrid(const Grid& grid, std::string& out, size_t width = 0);
// Without the title.
void PrintMarkdown(const Grid& grid, std::string& out);

// Sentences, each on its line, and what they are about; ends in one line break.
std::string SentencesAndGrid(const std::vector<std::string>& sentences,
                             const Grid& grid, size_t width);
std::string SentencesAndGridMarkdown(const std::vector<std::string>& sentences,
                                     const Grid& grid);

}  // namespace stepscope
