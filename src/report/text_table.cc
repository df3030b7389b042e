// SPDX-License-Identifier: Apache-2.0
#include "report/text_table.h"

#include <utility>

#include "base/visible_text.h"

namespace stepscope {
namespace {

constexpr std::string_view kGap = "  ";

}  // namespace

TextTable::TextTable(std::string& out, std::vector<size_t> widths)
    : out_(out), widths_(std::move(widths)) {
  for (const size_t width : widths_) length_ += width + kGap.size();
  length_ -= kGap.size();
}

void TextTable::Title(std::string_view text) {
  const size_t width = DisplayWidth(text);
  const size_t dashes = width < length_ ? length_ - width : 0;
  out_.append(dashes / 2, '-');
  out_ += text;
  out_.append(dashes - dashes / 2, '-');
  out_ += '\n';
}

void TextTable::Separator() {
  for (const size_t width : widths_) {
    out_.append(width, '-');
    out_ += kGap;
  }
  out_ += '\n';
}

void TextTable::Row(const std::vector<std::string>& cells) {
  for (size_t i = 0; i < cells.size() && i < widths_.size(); ++i) {
    out_ += cells[i];
    const size_t width = DisplayWidth(cells[i]);
    if (width < widths_[i]) out_.append(widths_[i] - width, ' ');
    out_ += kGap;
  }
  out_ += '\n';
}

void TextTable::Line(std::string_view text) {
  out_ += text;
  out_ += '\n';
}

void TextTable::End() { out_ += "\n\n"; }

}  // namespace stepscope
