// SPDX-License-Identifier: Apache-2.0
//
// MarkdownTable: a table of cells in Markdown; the first column is text, the
// others are numbers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stepscope {

// A name as Markdown shows it: no markup, one line.
std::string EscapeMarkdown(std::string_view name);

class MarkdownTable {
 public:
  // Appends to `out`, which must outlive this. The title is a heading; none
  // if it is empty.
  MarkdownTable(std::string& out, std::string_view title,
                const std::vector<std::string>& heads);
  void Row(const std::vector<std::string>& cells);

 private:
  std::string& out_;
};

}  // namespace stepscope
