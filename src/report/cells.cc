// SPDX-License-Identifier: Apache-2.0
#include "report/cells.h"

#include "base/text.h"

namespace stepscope {

std::string Cells::Time(int64_t ns, uint64_t calls) const {
  const double value =
      calls == 0 ? 0 : static_cast<double>(ns) / static_cast<double>(calls);
  std::string text = Format("%.2f", value / ns_);
  return text == "-0.00" ? "0.00" : text;
}

std::string Cells::Percent(double ratio) {
  return Format("%.2f", ratio * 100);
}

std::string Cells::Five(const TimeColumn& column, uint64_t calls) const {
  return Time(column.total_ns) + " / " + Time(column.total_ns, calls) + " / " +
         Time(column.max_ns) + " / " + Time(column.min_ns) + " / " +
         Percent(column.ratio);
}

std::string Cells::TotalOnly(const TimeColumn& column) const {
  return Time(column.total_ns) + " / - / - / - / " + Percent(column.ratio);
}

}  // namespace stepscope
