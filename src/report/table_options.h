// SPDX-License-Identifier: Apache-2.0
//
// How to show a summary, with the spellings that users may give.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "analysis/summary_options.h"
#include "analysis/tables/all_tables.h"
#include "report/text_style.h"

namespace stepscope {

// kAuto: for each table the largest unit in which no time reads 0.00.
enum class TimeUnit : uint8_t { kS, kMs, kUs, kNs, kAuto };
enum class TableFormat : uint8_t { kText, kJson, kCsv, kMarkdown };
// Of text: the tables as Paddle lays them out, or one screen (screen.h).
enum class TextLayout : uint8_t { kPaddle, kScreen };

struct TableOptions : SummaryOptions {
  TimeUnit unit = TimeUnit::kMs;  // text and Markdown
  TableFormat format = TableFormat::kText;
  TextLayout layout = TextLayout::kPaddle;
  TextStyle style;
  std::string input = {};  // what the user named, for the one screen

  bool is_screen() const {
    return format == TableFormat::kText && layout == TextLayout::kScreen;
  }
  // `views`; 0: Paddle's tables and those that compare ranks as text and
  // Markdown, as data all that need no replay.
  uint32_t chosen_views() const {
    const bool data =
        format == TableFormat::kJson || format == TableFormat::kCsv;
    if (views != 0) return views;
    if (data) return kUsualViews;
    return kPaddleViews | (kRankViews & ~kRankStepsView);
  }
};

// ParseView and ParseSortKey are in all_tables.h. Nothing if `text` is none of
// the choices, which the functions below list, by comma.
std::optional<TimeUnit> ParseTimeUnit(std::string_view text);
std::optional<TableFormat> ParseTableFormat(std::string_view text);
std::optional<TextLayout> ParseTextLayout(std::string_view text);
std::string ViewChoices();
std::string SortKeyChoices();
std::string TimeUnitChoices();
std::string TableFormatChoices();
std::string TextLayoutChoices();

// "s", "ms", "us", "ns", "auto" and the nanoseconds in one (of auto, in ms).
std::string_view TimeUnitName(TimeUnit unit);
double NanosecondsIn(TimeUnit unit);

}  // namespace stepscope
