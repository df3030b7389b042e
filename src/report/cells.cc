// SPDX-License-Identifier: Apache-2.0
#include "report/cells.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace stepscope {

std::string Cells::Time(int64_t ns, uint64_t calls) const {
  const double value =
      calls == 0 ? 0 : static_cast<double>(ns) / static_cast<double>(calls);
  if (value != 0) smallest_ns_ = std::min(smallest_ns_, std::abs(value));
  std::string text = Format("%.2f", value / ns_);
  return text == "-0.00" ? "0.00" : text;
}

TimeUnit Cells::Suitable() const {
  if (std::isinf(smallest_ns_)) return TimeUnit::kMs;  // there was none
  for (const TimeUnit unit : {TimeUnit::kS, TimeUnit::kMs, TimeUnit::kUs})
    if (smallest_ns_ >= 0.005 * NanosecondsIn(unit)) return unit;
  return TimeUnit::kNs;
}

std::string Cells::Percent(double ratio) { return Format("%.2f", ratio * 100); }

std::string Cells::Five(const TimeColumn& column, uint64_t calls) const {
  return Time(column.total_ns) + " / " + Time(column.total_ns, calls) + " / " +
         Time(column.max_ns) + " / " + Time(column.min_ns) + " / " +
         Percent(column.ratio);
}

std::string Cells::TotalOnly(const TimeColumn& column) const {
  return Time(column.total_ns) + " / - / - / - / " + Percent(column.ratio);
}

}  // namespace stepscope
