// SPDX-License-Identifier: Apache-2.0
//
// Cells of the text tables. Here, at the last step, integers become decimals.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "analysis/tables/rows.h"
#include "report/table_options.h"

namespace stepscope {

class Cells {
 public:
  explicit Cells(TimeUnit unit) : ns_(NanosecondsIn(unit)) {}

  // "15.62"; `calls` above 1 for an average.
  std::string Time(int64_t ns, uint64_t calls = 1) const;
  static std::string Percent(double ratio);
  // "Total / Avg / Max / Min / Ratio"
  std::string Five(const TimeColumn& column, uint64_t calls) const;
  // "Total / - / - / - / Ratio", for a row that has no calls.
  std::string TotalOnly(const TimeColumn& column) const;
  static std::string NoTimes() { return "- / - / - / - / -"; }

 private:
  double ns_;
};

}  // namespace stepscope
