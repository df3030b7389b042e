// SPDX-License-Identifier: Apache-2.0
#include "analysis/cells.h"

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

std::string_view WithoutArguments(std::string_view kernel) {
  const size_t open = kernel.find('<');
  const size_t close = kernel.rfind(">(");
  if (open == kernel.npos || open == 0 || close == kernel.npos ||
      close < open || kernel.find(')', close) == kernel.npos) {
    return kernel;
  }
  return kernel.substr(0, close + 1);
}

}  // namespace stepscope
