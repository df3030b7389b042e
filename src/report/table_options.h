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
#include "base/result.h"
#include "report/text_style.h"

namespace stepscope {

// kAuto: for each table the largest unit in which no time reads 0.00.
enum class TimeUnit : uint8_t { kS, kMs, kUs, kNs, kAuto };
enum class TableFormat : uint8_t { kText, kJson, kCsv, kMarkdown };
// Of text: the tables as Paddle lays them out, the same in parts that are no
// wider than the terminal, or one screen (screen.h).
enum class TextLayout : uint8_t { kPaddle, kTables, kScreen };

struct TableOptions : SummaryOptions {
  TimeUnit unit = TimeUnit::kMs;  // text and Markdown
  TableFormat format = TableFormat::kText;
  TextLayout layout = TextLayout::kPaddle;
  TextStyle style;
  std::string input = {};  // what the user named, for the one screen

  bool is_screen() const {
    return format == TableFormat::kText && layout == TextLayout::kScreen;
  }
  // `views`; none: Paddle's tables and those that compare ranks as text and
  // Markdown, as data all that need no replay.
  ViewSet chosen_views() const {
    const bool data =
        format == TableFormat::kJson || format == TableFormat::kCsv;
    if (views) return views;
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

// What a user said about a summary, from a command line, an address or a call.
// Empty: nothing was said, and the options stay as they are.
struct SummaryWords {
  std::string_view prefix = {};  // of options there: "--" on a command line
  std::string views = {};        // by comma
  std::string steps = {};
  std::string unprofiled = {};
  std::string link_peak = {};     // GB/s
  std::string compute_peak = {};  // TFLOP/s
  std::string memory_peak = {};   // GB/s
  std::string sort = {};
};
// Fails with the option and what is possible.
Status ReadWords(const SummaryWords& words, SummaryOptions& options);
// One option of such a user.
Result<std::optional<StepChoice>> StepsOf(
    std::string_view text, std::optional<StepChoice> otherwise = std::nullopt);
Result<std::optional<int64_t>> UnprofiledOf(std::string_view prefix,
                                            std::string_view text);
Result<double> LinkPeakOf(std::string_view prefix, std::string_view text);
// Each empty: not stated, which is 0.
Result<StatedPeaks> StatedPeaksOf(std::string_view prefix,
                                  std::string_view compute,
                                  std::string_view memory);
// `value`, or that `text` is none of the choices.
template <typename T>
Result<T> Chosen(std::string_view option, std::string_view text,
                 std::optional<T> value, std::string_view choices) {
  if (value) return *value;
  return Fail(ErrorCode::kInvalidArgument,
              std::string(option) + ": unknown value \"" + std::string(text) +
                  "\"; choose from " + std::string(choices));
}

// "s", "ms", "us", "ns", "auto" and the nanoseconds in one (of auto, in ms).
std::string_view TimeUnitName(TimeUnit unit);
double NanosecondsIn(TimeUnit unit);

}  // namespace stepscope
