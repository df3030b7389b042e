// SPDX-License-Identifier: Apache-2.0
//
// How to show a summary, with the spellings that users may give.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "analysis/summary_options.h"

namespace stepscope {

enum class TimeUnit : uint8_t { kS, kMs, kUs, kNs };
enum class TableFormat : uint8_t { kText, kJson, kCsv, kMarkdown };

struct TableOptions : SummaryOptions {
  TimeUnit unit = TimeUnit::kMs;  // text and Markdown
  TableFormat format = TableFormat::kText;

  // `views`; 0: Paddle's tables as text and Markdown, all as data.
  uint32_t chosen_views() const {
    const bool data =
        format == TableFormat::kJson || format == TableFormat::kCsv;
    return views == 0 && data ? uint32_t{kAllViews}
                              : SummaryOptions::chosen_views();
  }
};

// Each takes Paddle's enum name or our JSON key, in any case: "CPUTotal",
// "cpu_total"; "OperatorView", "operator"; nothing if it is neither.
std::optional<SortKey> ParseSortKey(std::string_view text);
std::optional<uint32_t> ParseView(std::string_view text);
std::optional<TimeUnit> ParseTimeUnit(std::string_view text);
std::optional<TableFormat> ParseTableFormat(std::string_view text);

// "s", "ms", "us", "ns" and the nanoseconds in one.
std::string_view TimeUnitName(TimeUnit unit);
double NanosecondsIn(TimeUnit unit);

}  // namespace stepscope
