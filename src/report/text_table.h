// SPDX-License-Identifier: Apache-2.0
//
// TextTable: the layout of paddle.profiler. Cells are left-aligned and each is
// followed by two blanks, the last one too; longer text overflows.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope {

class TextTable {
 public:
  TextTable(std::string& out, std::vector<size_t> widths);

  // The text in the middle of a line of dashes, no blanks after it.
  void Title(std::string_view text);
  void Separator();  // dashes under each column
  void Row(const std::vector<std::string>& cells);
  void Line(std::string_view text = {});
  void Rule() { Title(""); }  // dashes all along
  void End();                 // two empty lines

 private:
  std::string& out_;
  std::vector<size_t> widths_;
  size_t length_ = 0;  // of a line of dashes
};

// Columns of such widths: all, where they fit `most` or that is 0; else in
// parts that do, if they can, each with `keys` first.
std::vector<std::vector<size_t>> PartsOf(const std::vector<size_t>& widths,
                                         const std::vector<size_t>& keys,
                                         size_t most);

template <typename T>
std::vector<T> Picked(const std::vector<T>& all,
                      const std::vector<size_t>& columns) {
  std::vector<T> some;
  for (const size_t i : columns) some.push_back(all[i]);
  return some;
}

// With the blanks between and behind them.
size_t WidthOfLine(const std::vector<size_t>& widths);

}  // namespace stepscope
