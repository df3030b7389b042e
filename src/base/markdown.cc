// SPDX-License-Identifier: Apache-2.0
#include "base/markdown.h"

#include "base/visible_text.h"

namespace stepscope {

std::string EscapeMarkdown(std::string_view name) {
  std::string result;
  for (const char c : VisibleText(name)) {
    if (std::string_view("\\|`*_<>[]&").find(c) != std::string_view::npos) {
      result += '\\';
    }
    result += c;
  }
  return result;
}

MarkdownTable::MarkdownTable(std::string& out, std::string_view title,
                             const std::vector<std::string>& heads)
    : out_(out) {
  if (!title.empty()) {
    if (!out_.empty()) out_ += '\n';
    out_ += "## " + std::string(title) + "\n\n";
  }
  Row(heads);
  out_ += '|';
  for (size_t i = 0; i < heads.size(); ++i) out_ += i == 0 ? "---|" : "--:|";
  out_ += '\n';
}

void MarkdownTable::Row(const std::vector<std::string>& cells) {
  out_ += '|';
  for (const std::string& cell : cells) out_ += ' ' + cell + " |";
  out_ += '\n';
}

}  // namespace stepscope
