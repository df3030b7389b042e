// SPDX-License-Identifier: Apache-2.0
//
// Cells of the text tables. Here, at the last step, integers become decimals.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "analysis/tables/rows.h"
#include "report/table_options.h"

namespace stepscope {

class Cells {
 public:
  explicit Cells(TimeUnit unit) : unit_(unit), ns_(NanosecondsIn(unit)) {}

  TimeUnit unit() const { return unit_; }
  // The largest unit in which no time that was made reads 0.00, unless it is 0.
  TimeUnit Suitable() const;

  // "15.62"; `calls` above 1 for an average.
  std::string Time(int64_t ns, uint64_t calls = 1) const;
  static std::string Percent(double ratio);
  // "Total / Avg / Max / Min / Ratio"
  std::string Five(const TimeColumn& column, uint64_t calls) const;
  // "Total / - / - / - / Ratio", for a row that has no calls.
  std::string TotalOnly(const TimeColumn& column) const;
  static std::string NoTimes() { return "- / - / - / - / -"; }

 private:
  TimeUnit unit_;
  double ns_;
  mutable double smallest_ns_ = std::numeric_limits<double>::infinity();
};

// What `make` makes of Cells in that unit. Of kAuto it is called twice: once to
// see the times.
template <typename Make>
auto InSuitableUnit(TimeUnit unit, Make make) {
  if (unit == TimeUnit::kAuto) {
    const Cells probe(TimeUnit::kMs);
    make(probe);
    unit = probe.Suitable();
  }
  return make(Cells(unit));
}

}  // namespace stepscope
