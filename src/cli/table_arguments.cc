// SPDX-License-Identifier: Apache-2.0
#include "cli/table_arguments.h"

#include "cli/bill_option.h"
#include "cli/table_style.h"
#include "exporters/output_name.h"
#include "report/screen.h"

namespace stepscope {
namespace {

std::optional<TextLayout> LayoutOf(const std::string& text,
                                   const TableOptions& options) {
  return text.empty() ? UsualLayout(options) : ParseTextLayout(text);
}

}  // namespace

std::string FormatOfTables(std::string_view output) {
  output = WithoutCompression(output);
  for (const char* format : {"json", "csv", "md"})
    if (output.ends_with(std::string(".") + format)) return format;
  return "text";
}

bool ReadTableOptions(const SummaryArguments& arguments,
                      TableOptions& options) {
  options.op_detail = !arguments.no_op_detail;
  options.thread_sep = arguments.thread_sep;
  options.group_digits = arguments.group_digits;
  options.flops = arguments.flops;
  const Status read = ReadWords({.prefix = "--",
                                 .views = arguments.views,
                                 .steps = arguments.steps,
                                 .unprofiled = arguments.unprofiled,
                                 .link_peak = arguments.link_peak,
                                 .compute_peak = arguments.compute_peak,
                                 .memory_peak = arguments.memory_peak,
                                 .sort = arguments.sort},
                                options);
  if (!read) {
    PrintError(read.error().message);
    return false;
  }
  const std::string unit =
      arguments.unit.empty() ? UsualUnit() : arguments.unit;
  const std::string format = arguments.format.empty()
                                 ? FormatOfTables(arguments.output)
                                 : arguments.format;
  // What goes into a file is data.
  options.style =
      StyleOfTables(arguments.top, format == "text" && arguments.output == "-");
  options.bill = BillOf(arguments.bill);
  return Choose("--unit", unit, ParseTimeUnit(unit), TimeUnitChoices(),
                options.unit) &&
         Choose("--format", format, ParseTableFormat(format),
                TableFormatChoices() + ", fluid", options.format);
}

bool ReadSummaryOptions(const SummaryArguments& arguments,
                        TableOptions& options) {
  if (!ReadTableOptions(arguments, options) ||
      !Choose("--layout", arguments.layout, LayoutOf(arguments.layout, options),
              TextLayoutChoices(), options.layout)) {
    return false;
  }
  if (!options.is_screen()) return true;
  options.input = arguments.input;
  FillScreenStyle({.sort = !arguments.sort.empty(),
                   .unit = !arguments.unit.empty(),
                   .top = arguments.top != kTopNotGiven},
                  options);
  return true;
}

}  // namespace stepscope
