// SPDX-License-Identifier: Apache-2.0
//
// TextStyle: how tables look to a person. The default is Paddle's look, whole.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace stepscope {

struct TextStyle {
  // Rows of a table whose rows stand by weight; 0: all. In every format.
  size_t top = 0;
  // What to do to see the rows that `top` leaves out.
  std::string how_to_see_more = "--top 0 shows all";

  // The rest is of text only.
  // A name as it is to be shown (demangled, say); none: as it was recorded.
  std::function<std::string(std::string_view)> display_name;
  // A name of more than `limit` characters, cut to so many; none: at its end.
  std::function<std::string(std::string_view name, size_t limit)> shorten;
  // Columns of the terminal; 0: any. Tables that are wider get narrower names,
  // and lines of text are wrapped.
  size_t width = 0;
};

// "34 more rows; --top 0 shows all."
std::string MoreRows(size_t count, const TextStyle& style);
// What stands for the name of events that have an empty one.
inline constexpr std::string_view kEmptyName = "(empty name)";
// The reference does not shorten names; ours may be 64 KiB long.
inline constexpr size_t kLongestTextName = 200;
// In grids, where a row is a line.
inline constexpr size_t kLongestGridName = 80;
// Of a line of that width it has half; 0: any width.
constexpr size_t LongestNameIn(size_t width) {
  return width == 0 ? kLongestGridName
                    : std::clamp<size_t>(width / 2, 16, kLongestGridName);
}
// `name` by the style: visible, and at most `limit` characters.
std::string ShownName(std::string_view name, size_t limit,
                      const TextStyle& style);
// `text` with line breaks so that no line is wider than `width`; 0: as it is.
// Lines that are drawings (two blanks at the start) stay.
std::string Wrapped(std::string_view text, size_t width);

}  // namespace stepscope
