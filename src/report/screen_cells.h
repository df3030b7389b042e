// SPDX-License-Identifier: Apache-2.0
//
// Figures and lines of the one screen: times of a column in one unit, shares,
// bytes, text within a width.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/table_options.h"

namespace stepscope {

// `wanted`; of kAuto, the one in which people would say the largest time.
TimeUnit ScreenUnit(TimeUnit wanted, int64_t largest_ns);
// "15.62"; "<0.01" of what would read 0.00 and is not 0.
std::string ScreenTime(int64_t ns, TimeUnit unit);
// "15.6" of 0.156; "<0.1" of what would read 0.0 and is not 0.
std::string ScreenPercent(double ratio);

// Rows of a name and figures: the figures stand right-aligned in columns as
// wide as they need, and the name has what is left of the line.
class ScreenTable {
 public:
  explicit ScreenTable(std::vector<std::string> heads)
      : rows_{std::move(heads)} {}
  void Add(std::vector<std::string> cells) {
    rows_.push_back(std::move(cells));
  }
  // The heads, then the rows, whose names are indented and shortened.
  std::vector<std::string> Lines(size_t width) const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

// Blanks before it, up to `width` columns.
std::string AlignedRight(std::string_view visible, size_t width);
// `text` in lines of at most `width` columns, all but the first indented. What
// does not fit into so many lines is cut, and "..." says so.
std::vector<std::string> WrapInto(std::string_view text, size_t indent,
                                  size_t width, size_t lines);

}  // namespace stepscope
