// SPDX-License-Identifier: Apache-2.0
#include "cli/table_style.h"

#include <unistd.h>

#include <algorithm>

#include "base/name_display.h"
#include "base/terminal.h"
#include "cli/frame/output.h"

namespace stepscope {
namespace {

constexpr size_t kTopOnTerminal = 20;

}  // namespace

TextStyle StyleOfTables(int top, bool text) {
  TextStyle style;
  const bool for_people = text && IsTerminal(STDOUT_FILENO);
  if (top != kTopNotGiven) {
    style.top = static_cast<size_t>(top);
  } else if (for_people) {
    style.top = kTopOnTerminal;
  }
  if (!for_people) return style;
  style.width = WidthOfTables();
  style.display_name = ClearName;
  style.shorten = ShortenName;
  return style;
}

size_t WidthOfTables() {
  return IsTerminal(STDOUT_FILENO) ? TerminalWidth(STDOUT_FILENO) : 0;
}

std::string UsualUnit() { return IsTerminal(STDOUT_FILENO) ? "auto" : "ms"; }

ExitCode WriteTables(std::string_view text) {
  return ColourAllowed(STDOUT_FILENO) ? WriteOutput(WithBoldTitles(text))
                                      : WriteOutput(text);
}

std::string WithBoldTitles(std::string_view text) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    const bool title = line.starts_with("-") && line.ends_with("-") &&
                       line.find_first_not_of("- ") != line.npos;
    if (title) result += "\x1b[1m";
    result += line;
    if (title) result += "\x1b[0m";
    if (end < text.size()) result += '\n';
    at = end + 1;
  }
  return result;
}

}  // namespace stepscope
