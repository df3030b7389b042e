// SPDX-License-Identifier: Apache-2.0
//
// Columns that several tables have.
#pragma once

#include <string>
#include <utility>

#include "analysis/percentiles.h"
#include "analysis/schema.h"
#include "analysis/tables/rows.h"

namespace stepscope {

inline constexpr const char* kNestedCalls =
    "calls inside one of the same name, which are part of that one";

// What the five columns of a side say of themselves.
struct TimesMeaning {
  std::string what;      // "time of the calls"
  std::string ratio_of;  // "the total time"
};

// "cpu.total_ns" to "cpu.ratio". `time` gives a TimeColumn; `calls` their
// number, and where it is 0, only total and ratio mean something.
template <typename Row, typename Time, typename Calls>
void AddTimes(ColumnsOf<Row>& columns, const std::string& side,
              const TimesMeaning& meaning, Time time, Calls calls) {
  using Optional = std::optional<int64_t>;
  const std::string& what = meaning.what;
  columns.Time(side + ".total_ns", Adds::kSum, what + ", together",
               [=](const Row& row) { return time(row).total_ns; });
  columns.Time(side + ".avg_ns", what + ", on average",
               [=](const Row& row) -> Optional {
                 if (calls(row) == 0) return std::nullopt;
                 return AverageNs(time(row).total_ns, calls(row));
               });
  columns.Time(side + ".max_ns", what + ", the longest",
               [=](const Row& row) -> Optional {
                 if (calls(row) == 0) return std::nullopt;
                 return time(row).max_ns;
               });
  columns.Time(side + ".min_ns", what + ", the shortest",
               [=](const Row& row) -> Optional {
                 if (calls(row) == 0) return std::nullopt;
                 return time(row).min_ns;
               });
  columns.Ratio(side + ".ratio", "total as a share of " + meaning.ratio_of,
                [=](const Row& row) { return time(row).ratio; });
}

inline ColumnsOf<HistogramBin> HistogramColumns() {
  ColumnsOf<HistogramBin> bins;
  bins.Time("from_ns", "the shortest that counts here", &HistogramBin::from_ns);
  bins.Time("to_ns", "the shortest that no longer does", &HistogramBin::to_ns);
  bins.Count("count", "how many there were", &HistogramBin::count);
  return bins;
}

// "cpu.p50_ns" to "cpu.p99_ns". `spread` gives a Spread.
template <typename Row, typename GetSpread>
void AddPercentiles(ColumnsOf<Row>& columns, const std::string& side,
                    GetSpread spread) {
  const auto add = [&](const char* name, const char* meaning,
                       int64_t Spread::*value) {
    columns.Time(side + name, meaning,
                 [=](const Row& row) -> std::optional<int64_t> {
                   const Spread& of = spread(row);
                   if (of.histogram.empty()) return std::nullopt;
                   return of.*value;
                 });
  };
  add(".p50_ns", "half of the calls took this or less", &Spread::p50_ns);
  add(".p90_ns", "nine in ten calls took this or less", &Spread::p90_ns);
  add(".p95_ns", "95 in 100 calls took this or less", &Spread::p95_ns);
  add(".p99_ns", "99 in 100 calls took this or less", &Spread::p99_ns);
}

// The same and "cpu.histogram".
template <typename Row, typename GetSpread>
void AddSpread(ColumnsOf<Row>& columns, const std::string& side,
               GetSpread spread) {
  AddPercentiles(columns, side, spread);
  columns.Nested(side + ".histogram", "calls by duration, a bin per doubling",
                 HistogramColumns(), [=](const Row& row) {
                   return RowList::Of(spread(row).histogram);
                 });
}

}  // namespace stepscope
