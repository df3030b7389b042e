// SPDX-License-Identifier: Apache-2.0
#include "cli/table_arguments.h"

#include <sstream>

#include "analysis/tables/all_tables.h"
#include "cli/step_options.h"
#include "cli/table_style.h"

namespace stepscope {

bool ReadTableOptions(const SummaryArguments& arguments,
                      TableOptions& options) {
  options.op_detail = !arguments.no_op_detail;
  options.thread_sep = arguments.thread_sep;
  options.flops = arguments.flops;
  if (!ReadSteps(arguments.steps, options.steps) ||
      !ReadUnprofiled(arguments.unprofiled, options.unprofiled_ns)) {
    return false;
  }
  options.views = 0;
  std::stringstream views(arguments.views);
  for (std::string text; std::getline(views, text, ',');) {
    uint32_t view = 0;
    if (!Choose("--views", text, ParseView(text), ViewChoices(), view)) {
      return false;
    }
    options.views |= view;
  }
  const std::string sort =
      arguments.sort.empty() ? "CPUTotal" : arguments.sort;
  const std::string unit =
      arguments.unit.empty() ? UsualUnit() : arguments.unit;
  options.style = StyleOfTables(arguments.top, arguments.format == "text");
  return Choose("--sort", sort, ParseSortKey(sort), SortKeyChoices(),
                options.sort) &&
         Choose("--unit", unit, ParseTimeUnit(unit), TimeUnitChoices(),
                options.unit) &&
         Choose("--format", arguments.format,
                ParseTableFormat(arguments.format),
                TableFormatChoices() + ", fluid",
                options.format);
}

}  // namespace stepscope
