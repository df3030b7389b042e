// SPDX-License-Identifier: Apache-2.0
#include "report/text_style.h"

#include <algorithm>

#include "base/visible_text.h"

namespace stepscope {
namespace {

void AppendWrapped(std::string_view line, size_t width, std::string& out) {
  size_t column = 0;
  while (!line.empty()) {
    const size_t end = std::min(line.find(' '), line.size());
    const std::string_view word = line.substr(0, end);
    const size_t wide = DisplayWidth(word);
    if (column > 0 && column + 1 + wide > width) {
      out += '\n';
      column = 0;
    }
    if (column > 0) {
      out += ' ';
      ++column;
    }
    out += word;
    column += wide;
    line.remove_prefix(std::min(end + 1, line.size()));
  }
}

}  // namespace

std::string MoreRows(size_t count, const TextStyle& style) {
  return std::to_string(count) + (count == 1 ? " more row; " : " more rows; ") +
         style.how_to_see_more + ".";
}

std::string ShownName(std::string_view name, size_t limit,
                      const TextStyle& style) {
  const std::string visible = VisibleText(
      style.display_name ? style.display_name(name) : std::string(name));
  return style.shorten ? style.shorten(visible, limit)
                       : Shorten(visible, limit);
}

std::string Wrapped(std::string_view text, size_t width) {
  if (width == 0) return std::string(text);
  std::string out;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    if (line.starts_with("  ") || DisplayWidth(line) <= width)
      out += line;
    else
      AppendWrapped(line, width, out);
    if (end < text.size()) out += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

}  // namespace stepscope
