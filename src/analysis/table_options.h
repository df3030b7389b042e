// SPDX-License-Identifier: Apache-2.0
//
// What to summarise and how, with the spellings that users may give.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "analysis/tables/rows.h"

namespace stepscope {

// Bits of TableOptions::views; the first nine are 1 << Paddle's SummaryView.
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
  kAllViews = (1u << 17) - 1,
};

enum class TimeUnit : uint8_t { kS, kMs, kUs, kNs };
enum class TableFormat : uint8_t { kText, kJson, kCsv, kMarkdown };

struct TableOptions {
  SortKey sort = SortKey::kCpuTotal;
  bool op_detail = true;    // inner and device rows under operators
  bool thread_sep = false;  // Operator and UserDefined tables per thread
  TimeUnit unit = TimeUnit::kMs;  // text only
  // TableView bits; 0: Paddle's tables as text and Markdown, all as data.
  uint32_t views = 0;
  TableFormat format = TableFormat::kText;
  bool flops = false;  // a column of the Operator table; text only

  // `views`, or what it stands for.
  uint32_t chosen_views() const {
    if (views != 0) return views;
    const bool data =
        format == TableFormat::kJson || format == TableFormat::kCsv;
    return data ? kAllViews : kPaddleViews;
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
